import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileFlags } from '../device/flash.ts';
import { type Answer, type WebRig, webRig } from '../testing/web-rig.ts';
import { isAuthorized, isWhitelisted, parseWhitelist } from './access.ts';

const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`;

/** Who asks. */
const callers = {
  authorised: { authorization: basic('ada:le:tmein') },
  'of another name': { authorization: basic('eve:le:tmein') },
  'with a wrong password': { authorization: basic('ada:letmein') },
  'with another scheme': { authorization: 'Bearer ada:le:tmein' },
  'with a broken header': { authorization: 'Basic ***' },
  unknown: {},
} as const;

const handshake = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
};

/** What is asked for, and the status for those who may. */
const things = {
  'a command by GET': { path: '/command/get%20wlan.ssid', status: 200 },
  'a command by POST': { method: 'POST', path: '/command', body: '{"command":"get wlan.ssid"}', status: 200 },
  'a broken call': { method: 'POST', path: '/command', body: '{', status: 400 },
  'the log': { path: '/log', status: 200 },
  'the stream': { method: 'POST', path: '/stream', status: 400 },
  'a websocket': { path: '/stream', headers: handshake, status: 101 },
  'the root page': { path: '/', status: 200 },
  'a file': { path: '/plain.txt', status: 200 },
  'a packed file': { path: '/packed.js', status: 200 },
  'part of a file': { path: '/plain.txt', headers: { range: 'bytes=0-0' }, status: 206 },
  'the head of a file': { method: 'HEAD', path: '/plain.txt', status: 200 },
  'the whitelist': { path: '/http_whitelist.csv', status: 200 },
  'a missing file': { path: '/none', status: 404 },
  'a system file': { path: '/device.key', status: 404 },
} as const;

type Thing = keyof typeof things;

const ask = async (rig: WebRig, thing: Thing | keyof typeof openThings, headers: object): Promise<Answer> => {
  const { path, ...more }: { path: string; method?: string; body?: string; headers?: object } = {
    ...things,
    ...openThings,
  }[thing];
  return await rig.call(more.method ?? 'GET', path, {
    ...(more.body !== undefined && { body: more.body }),
    headers: { ...more.headers, ...headers },
  });
};

/** Open without credentials. */
const openThings = {
  'an unprotected file': { path: '/open.txt', status: 200 },
  'an unprotected packed file': { path: '/open.css', status: 200 },
  'a preflight': { method: 'OPTIONS', path: '/command', status: 200 },
} as const;

const files = {
  'webapp/index.html': 'root',
  'plain.txt': 'plain',
  'packed.js.gz': 'x',
  'http_whitelist.csv': 'nothing',
};

async function lockedRig(whitelist: string, variables: Record<string, string> = {}): Promise<WebRig> {
  const rig = await webRig({
    files: { ...files, 'http_whitelist.csv': whitelist },
    variables: { 'http.server.username': 'ada', 'http.server.password': 'le:tmein', ...variables },
  });
  await rig.put('open.txt', 'open', { flags: fileFlags.user | fileFlags.unprotected });
  await rig.put('open.css.gz', 'x', { flags: fileFlags.user | fileFlags.unprotected });
  await rig.put('device.key', 'secret', { flags: fileFlags.system });
  return rig;
}

// MOD-VAR-http.server.username, MOD-VAR-http.server.password, MOD-AUTH-1, MOD-AUTH-2, MOD-AUTH-3, MOD-AUTH-5, MOD-HTTP-status-401, MOD-FILE-unprotected
describe('with user name and password set', () => {
  let rig: WebRig;
  beforeAll(async () => {
    rig = await lockedRig('nothing');
  });
  afterAll(() => rig.close());

  const cases = Object.keys(things).flatMap((thing) => Object.keys(callers).map((caller) => [thing, caller] as const));
  test.each(cases)('%s for one who is %s', async (thing, caller) => {
    const answer = await ask(rig, thing as Thing, callers[caller as keyof typeof callers]);
    const allowed = caller === 'authorised';
    expect(answer.status).toBe(allowed ? things[thing as Thing].status : 401);
    expect(answer.headers['www-authenticate']).toBe(allowed ? undefined : 'Basic realm="Moorage"');
    expect(answer.text).not.toContain('secret');
  });

  test.each(Object.keys(openThings))('%s without credentials', async (thing) => {
    for (const headers of Object.values(callers))
      expect((await ask(rig, thing as keyof typeof openThings, headers)).status).toBe(200);
  });
});

// MOD-AUTH-2, MOD-AUTH-4
test.each([[{ 'http.server.username': '' }], [{ 'http.server.password': '' }]])(
  'all files and calls are open with %j',
  async (variables) => {
    const rig = await lockedRig('nothing', variables);
    for (const [thing, { status }] of [...Object.entries(things), ...Object.entries(openThings)]) {
      expect((await ask(rig, thing as Thing, {})).status, thing).toBe(status);
      expect((await ask(rig, thing as Thing, callers['of another name'])).status, thing).toBe(status);
    }
    await rig.close();
  },
);

// MOD-AUTH-6
describe('the whitelist', () => {
  const calls = {
    'GET /command/get%20wlan.ssid': { path: 'command', line: 'get wlan.ssid' },
    'GET /command/get%20wl%20s': { path: 'command', line: 'get wl s' },
    'GET /command/get%20wlan': { path: 'command', line: 'get wlan' },
    'GET /command/help%20variables': { path: 'command', line: 'help variables' },
    'GET /command/help%20commands': { path: 'command', line: 'help commands' },
    'GET /command/help': { path: 'command', line: 'help' },
    'GET /command/%20get%20wlan.ssid': { path: 'command', line: ' get wlan.ssid' },
    'GET /command/GET%20wlan.ssid': { path: 'command', line: 'GET wlan.ssid' },
    'POST /command {"command":"get wlan.ssid"}': { path: 'command', line: 'get wlan.ssid' },
    'POST /command {"flags":1,"command":"Z2V0IHdsYW4uc3NpZA=="}': { path: 'command', line: 'get wlan.ssid' },
    'POST /command {': { path: 'command' },
    'GET /log': { path: 'log' },
    'POST /stream': { path: 'stream' },
  } as const;
  type CallName = keyof typeof calls;
  const names = Object.keys(calls) as CallName[];
  const gets = names.filter((name) => /get%20wl|:"get wl|Z2V0/.test(name) && !name.includes('%20get'));

  /** Every form of the specification, the shapes around them, and the calls that each lets through. */
  const forms: readonly (readonly [string, readonly CallName[]])[] = [
    ['*', names],
    ['/log,/stream', ['GET /log', 'POST /stream']],
    ['get wl*', gets],
    ['help variables,help commands', ['GET /command/help%20variables', 'GET /command/help%20commands']],
    [
      '/stream,help *,get *',
      ['POST /stream', 'GET /command/help%20variables', 'GET /command/help%20commands', ...gets],
    ],
    ['help*', names.filter((name) => name.includes('help'))],
    [' /log , get wlan \n\r\nhelp', ['GET /log', 'GET /command/get%20wlan', 'GET /command/help']],
    ['/log\r\n/stream\r\n', ['GET /log', 'POST /stream']],
    ['/l*', ['GET /log']],
    ['/command', names.filter((name) => name.includes('/command'))],
    ['get wlan.ssid', names.filter((name) => name.endsWith('/get%20wlan.ssid') || /:"get wlan.ssid|Z2V0/.test(name))],
    ['log,stream,/LOG,Get *,g*t', []],
    ['', []],
    [',,\n', []],
  ];

  test.each(forms)('%j', async (content, through) => {
    const patterns = parseWhitelist(content);
    expect(names.filter((name) => isWhitelisted(patterns, calls[name]))).toEqual(
      names.filter((name) => through.includes(name)),
    );
  });

  test.each(forms.filter(([content]) => content !== ''))('%j as the file has it', async (content, through) => {
    const rig = await lockedRig(content);
    for (const name of names) {
      const [, method = '', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/.exec(name) ?? [];
      const answer = await rig.call(method, path, body === undefined ? {} : { body });
      expect(answer.status === 401, name).toBe(!through.includes(name));
    }
    // Files are no calls.
    for (const thing of ['a file', 'the root page', 'a missing file', 'the whitelist'] as const)
      expect((await ask(rig, thing, {})).status, thing).toBe(401);
    expect((await ask(rig, 'a websocket', {})).status).toBe(through.includes('POST /stream') ? 101 : 401);
    await rig.close();
  });

  test('follows the file as it changes, and a file over 4 KiB allows nothing', async () => {
    const rig = await lockedRig('/log');
    expect((await rig.call('GET', '/log')).status).toBe(200);
    await rig.put('http_whitelist.csv', 'ver', { replace: true });
    expect((await rig.call('GET', '/log')).status).toBe(401);
    expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    await rig.put('http_whitelist.csv', `*,${' '.repeat(4096)}`, { replace: true });
    expect((await rig.call('GET', '/command/ver')).status).toBe(401);
    await rig.run('file_delete http_whitelist.csv');
    expect((await rig.call('GET', '/command/ver')).status).toBe(401);
    await rig.close();
  });
});

// MOD-VAR-http.server.denied_filename
test('the denied file is sent with 401, to those who may see nothing', async () => {
  const rig = await lockedRig('nothing');
  expect((await rig.call('GET', '/plain.txt')).text).toBe('Unauthorized\r\n');
  await rig.put('webapp/unauthorized.html', '<p>no</p>');
  const denied = await rig.call('GET', '/plain.txt');
  expect([denied.status, denied.text, denied.headers['content-type']]).toEqual([401, '<p>no</p>', 'text/html']);
  expect((await rig.call('GET', '/webapp/unauthorized.html')).status).toBe(401);
  expect((await rig.call('GET', '/command/ver')).text).toBe('<p>no</p>');
  expect((await rig.call('HEAD', '/plain.txt')).headers['content-length']).toBe('9');
  await rig.close();
});

test('the denied file is the one that its variable names', async () => {
  const rig = await lockedRig('nothing', { 'http.server.denied_filename': 'no.html' });
  await rig.put('no.html', '<p>ours</p>');
  expect((await rig.call('GET', '/plain.txt')).text).toBe('<p>ours</p>');
  await rig.close();
});

test.each([
  ['Basic YWRhOmxldG1laW4=', true],
  ['basic YWRhOmxldG1laW4', true],
  ['BASIC  YWRhOmxldG1laW4= ', true],
  ['Basic YWRhOmxldG1laW4=x=', false],
  ['Basic', false],
  ['Basic YWRhOmxldG1laW4hIQ==', false],
  ['', false],
  [undefined, false],
])('the header %j is authorised: %s', (header, expected) => {
  expect(isAuthorized(header, { username: 'ada', password: 'letmein' })).toBe(expected);
});

// RFC 7617 leaves it to client and server in which encoding the two are.
test.each([
  ['pässword', 'utf8', true],
  ['pässword', 'latin1', true],
  ['pässwörd!', 'latin1', false],
  ['пароль', 'utf8', true],
  ['пароль', 'latin1', false],
] as const)('the password %s in %s is authorised: %s', (password, encoding, expected) => {
  const header = `Basic ${Buffer.from(`ada:${password}`, encoding).toString('base64')}`;
  const wanted = expected ? password : 'пароль';
  expect(isAuthorized(header, { username: 'ada', password: wanted })).toBe(expected);
});
