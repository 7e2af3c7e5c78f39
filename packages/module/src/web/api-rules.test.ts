import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type WebRig, webRig, webWires } from '../testing/web-rig.ts';
import { check, type Rule } from '../testing/web-rules.ts';
import { maxBodyBytes } from './body.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const post = (content: unknown, more: Partial<Rule> = {}) =>
  ({ method: 'POST', path: '/command', body: JSON.stringify(content), ...more }) as const;
const ssid = { code: 0, response: 'harbour-open\r\n' };
const failed = { code: 1, response: 'Command failed\r\n' };

/** Rules of the API. Reference: http-server 1.3, 1.4, 1.5, 2.3, 2.4. */
const apiRules: readonly Rule[] = [
  { rule: 'MOD-HTTP-get-command runs a command', path: '/command/get%20wlan.ssid', reply: ssid },
  { rule: 'the reply is JSON', path: '/command/ver', has: { 'content-type': 'application/json' } },
  { rule: 'shortcuts work as names do', path: '/command/get%20wl%20s', reply: ssid },
  {
    rule: 'quotes come as %22',
    path: '/command/set%20wlan.ssid%20%22a%20b%22',
    reply: { code: 0, response: 'Set OK\r\n' },
  },
  { rule: 'what is set so is seen', path: '/command/get%20wlan.ssid', reply: { code: 0, response: 'a b\r\n' } },
  {
    rule: 'slashes belong to the command',
    path: '/command/set%20mdns.service%20http//x:y/',
    reply: { code: 7, response: 'Invalid argument\r\n' },
  },
  {
    rule: 'double slashes stay',
    path: '/command/set%20wlan.ssid%20a//b:c/d',
    reply: { code: 0, response: 'Set OK\r\n' },
  },
  { rule: 'and are all there', path: '/command/get%20wlan.ssid', reply: { code: 0, response: 'a//b:c/d\r\n' } },
  { rule: 'a plus stays a plus', path: '/command/set%20wlan.ssid%20a+b', reply: { code: 0, response: 'Set OK\r\n' } },
  { rule: 'as it was', path: '/command/get%20wlan.ssid', reply: { code: 0, response: 'a+b\r\n' } },
  {
    rule: 'the query belongs to the command',
    path: '/command/set%20wlan.ssid%20a?b=c',
    reply: { code: 0, response: 'Set OK\r\n' },
  },
  { rule: 'question mark and all', path: '/command/get%20wlan.ssid', reply: { code: 0, response: 'a?b=c\r\n' } },
  {
    rule: 'percent signs are decoded once',
    path: '/command/set%20wlan.ssid%20%2541',
    reply: { code: 0, response: 'Set OK\r\n' },
  },
  { rule: 'and not twice', path: '/command/get%20wlan.ssid', reply: { code: 0, response: '%41\r\n' } },
  {
    rule: 'names in UTF-8 come and go',
    path: '/command/set%20wlan.ssid%20h%C3%A4fen',
    reply: { code: 0, response: 'Set OK\r\n' },
  },
  { rule: 'as text', path: '/command/get%20wlan.ssid', reply: { code: 0, response: 'häfen\r\n' } },
  {
    rule: 'headers of a JSON client do no harm',
    path: '/command/ver',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  },
  { rule: 'MOD-HTTP-status-200 a failed command is one, too', path: '/command/file_stat%20none', reply: failed },
  {
    rule: 'an unknown command has its code',
    path: '/command/nothing',
    reply: { code: 3, response: 'Unknown command\r\n' },
  },
  {
    rule: 'several lines are separated by CR LF',
    path: '/command/get%20bus.command',
    reply: { code: 0, response: expect.stringMatching(/^bus[^\n]+\r\nbus[\s\S]+\r\n$/) as unknown as string },
  },
  {
    rule: 'a command line of 4 KiB is too long',
    path: `/command/${'a'.repeat(4097)}`,
    reply: { code: 8, response: 'Overflow\r\n' },
  },
  { rule: 'MOD-HTTP-status-400 no command', path: '/command', status: 400 },
  { rule: 'an empty command', path: '/command/', status: 400 },
  { rule: 'a percent sign without digits', path: '/command/get%2', status: 400 },
  { rule: 'two lines', path: '/command/ver%0d%0areboot', status: 400 },
  {
    rule: 'a line with its end is one line',
    path: '/command/get%20wlan.security%0d%0a',
    reply: { code: 0, response: 'auto\r\n' },
  },
  { rule: 'data cannot come with GET', path: '/command/file_create%20x%205', status: 400 },
  { rule: 'and the command has done nothing', path: '/command/file_stat%20x', reply: failed },
  {
    rule: 'a whole address is a path',
    path: 'http://module/command/get%20wlan.security',
    reply: { code: 0, response: 'auto\r\n' },
  },
  { rule: 'another path that begins alike is a file', path: '/commander', status: 404 },
  {
    rule: 'other methods are not allowed',
    method: 'DELETE',
    path: '/command/ver',
    status: 405,
    has: { allow: 'GET, POST' },
  },
  { rule: 'HEAD runs nothing', method: 'HEAD', path: '/command/set%20wlan.ssid%20head', status: 405 },

  post(
    { command: 'get wlan.security' },
    { rule: 'MOD-HTTP-post-command runs a command', reply: { code: 0, flags: 0, response: 'auto\r\n' } },
  ) as Rule,
  post(
    { flags: 1, command: base64('get wlan.security') },
    { rule: 'MOD-HTTP-flag-1 the command in base64', reply: { code: 0, flags: 0, response: 'auto\r\n' } },
  ) as Rule,
  post(
    { flags: 2, command: 'get wlan.security' },
    { rule: 'MOD-HTTP-flag-2 the response in base64', reply: { code: 0, flags: 1, response: base64('auto\r\n') } },
  ) as Rule,
  post(
    { flags: 2, command: 'file_stat none' },
    { rule: 'a refusal in base64', reply: { code: 1, flags: 1, response: base64('Command failed\r\n') } },
  ) as Rule,
  post(
    { command: 'file_create plain 5', data: 'hello' },
    { rule: 'data as text', reply: { code: 0, response: 'File created\r\n' } },
  ) as Rule,
  post(
    { flags: 4, command: 'file_create coded 5', data: base64('a\0b\x01c') },
    { rule: 'MOD-HTTP-flag-4 data in base64', reply: { code: 0, response: 'File created\r\n' } },
  ) as Rule,
  {
    rule: 'the bytes are there',
    path: '/coded',
    text: 'a\0b\x01c',
  },
  post(
    { flags: 7, command: base64('file_create seven 5'), data: base64('12345') },
    { rule: 'all three flags', reply: { code: 0, flags: 1, response: base64('File created\r\n') } },
  ) as Rule,
  post(
    { flags: 1, command: `${base64('get wlan.')}\n` },
    { rule: 'base64 may be wrapped', reply: { code: 6, response: 'Unknown variable\r\n' } },
  ) as Rule,
  post(
    { flags: 248, command: 'get wlan.security' },
    { rule: 'unknown flags do not matter', reply: { code: 0, flags: 0, response: 'auto\r\n' } },
  ) as Rule,
  post(
    { command: 'get wlan.security', more: [1] },
    { rule: 'unknown keys do not matter', reply: { code: 0, response: 'auto\r\n' } },
  ) as Rule,
  post({ command: '' }, { rule: 'an empty line does nothing', reply: { code: 0, response: '' } }) as Rule,
  post({ command: 'file_create short 5', data: 'abc' }, { rule: 'too little data fails', reply: failed }) as Rule,
  post({ command: 'file_create none 5' }, { rule: 'no data fails', reply: failed }) as Rule,
  post({ command: 'write 9 5', data: 'hello' }, { rule: 'a bad handle fails', reply: failed }) as Rule,
  post(
    { command: 'get wlan.security', data: 'unasked' },
    { rule: 'data that is not expected is ignored', reply: { code: 0, response: 'auto\r\n' } },
  ) as Rule,
  post({ command: 'get wlan.security', data: null, flags: null }, { rule: 'null is nothing', status: 200 }) as Rule,
  { rule: 'a byte order mark', method: 'POST', path: '/command', body: '\ufeff{"command":"ver"}', status: 200 },
  { rule: 'a body that is no JSON', method: 'POST', path: '/command', body: '{', status: 400 },
  { rule: 'no body', method: 'POST', path: '/command', status: 400 },
  {
    rule: 'bytes that are no UTF-8',
    method: 'POST',
    path: '/command',
    body: Buffer.from([0x22, 0xff, 0x22]),
    status: 400,
  },
  post([], { rule: 'a body that is no object', status: 400 }) as Rule,
  post({ flags: 0 }, { rule: 'no command in it', status: 400 }) as Rule,
  post({ command: 5 }, { rule: 'a command that is a number', status: 400 }) as Rule,
  post({ command: 'ver', flags: '1' }, { rule: 'flags that are a text', status: 400 }) as Rule,
  post({ command: 'ver', flags: 0.5 }, { rule: 'flags that are no integer', status: 400 }) as Rule,
  post({ command: 'ver', data: {} }, { rule: 'data that is an object', status: 400 }) as Rule,
  post({ command: '*', flags: 1 }, { rule: 'a command that is no base64', status: 400 }) as Rule,
  post({ command: 'ver', flags: 4, data: '*' }, { rule: 'data that is no base64', status: 400 }) as Rule,
  post({ command: 'ver\nreboot' }, { rule: 'two lines at once', status: 400 }) as Rule,
  post({ command: 'ver' }, { rule: 'a command in path and body', path: '/command/ver', status: 405 }) as Rule,
  {
    rule: 'MOD-LIMIT-http-request 4 KiB are taken',
    method: 'POST',
    path: '/command',
    body: JSON.stringify({ command: 'ver', pad: 'x' }).replace('x', 'x'.repeat(maxBodyBytes - 26)),
    status: 200,
  },
  {
    rule: 'one byte more is not',
    method: 'POST',
    path: '/command',
    body: JSON.stringify({ command: 'ver', pad: 'x' }).replace('x', 'x'.repeat(maxBodyBytes - 25)),
    status: 400,
    text: /4096/,
  },
  {
    rule: 'nor is a megabyte',
    method: 'POST',
    path: '/command',
    body: 'x'.repeat(1_000_000),
    status: 400,
    text: /4096/,
  },
  {
    rule: 'nor chunks of unknown number',
    method: 'POST',
    path: '/command',
    body: 'x'.repeat(9_000),
    headers: { 'transfer-encoding': 'chunked' },
    status: 400,
  },

  {
    rule: 'MOD-HTTP-log gives the lines',
    path: '/log',
    text: /^\{"logs":\["Moorage-.*"\[Associated\]".*\]\}$/s,
    has: { 'content-type': 'application/json' },
  },
  { rule: 'a query does not matter', path: '/log?x=1', status: 200 },
  { rule: 'the log is read only', method: 'POST', path: '/log', status: 405 },
  { rule: 'a POST to the stream without a handshake', method: 'POST', path: '/stream', status: 400 },
  { rule: 'a GET without one', path: '/stream', status: 400 },
  { rule: 'a PUT', method: 'PUT', path: '/stream', status: 405 },
  { rule: 'without an origin there is no CORS', path: '/log', has: { 'access-control-allow-origin': undefined } },
  {
    rule: 'and OPTIONS is answered plainly',
    method: 'OPTIONS',
    path: '/command',
    status: 200,
    text: '',
    has: { 'access-control-allow-origin': undefined, 'access-control-allow-methods': undefined },
  },
];

// MOD-RULE-http, MOD-HTTP-reply-id, MOD-HTTP-reply-code, MOD-HTTP-reply-flags, MOD-HTTP-reply-response
describe.each(webWires)('the API over %s', (wire) => {
  let rig: WebRig;
  beforeAll(async () => {
    rig = await webRig({ wire });
  });
  afterAll(() => rig.close());

  test.each(apiRules)('$rule', (rule) => check(rig, rule));

  test('ids count up, over both methods', async () => {
    const ids: unknown[] = [];
    for (let count = 0; count < 3; count++) {
      ids.push(JSON.parse((await rig.call('GET', '/command/ver')).text).id, (await rig.command({ command: 'ver' })).id);
    }
    expect(ids).toEqual(ids.map((_, index) => Number(ids[0]) + index));
  });

  test('output that is no text is escaped byte by byte, or comes in base64', async () => {
    await rig.put('stray', Buffer.from([0x61, 0xff, 0x80, 0x0a]));
    const { response } = await rig.command({ command: 'file_open stray' });
    const raw = await rig.call('GET', `/command/stream_read%20${String(response).trim()}%209`);
    expect(raw.text).toContain('"response":"a\\u00ff\\u0080\\n\\r\\n"');
    const again = await rig.command({ command: 'file_open stray' });
    const coded = await rig.command({ flags: 2, command: `stream_read ${String(again.response).trim()} 9` });
    expect(Buffer.from(String(coded.response), 'base64')).toEqual(Buffer.from([0x61, 0xff, 0x80, 0x0a, 0x0d, 0x0a]));
  });
});
