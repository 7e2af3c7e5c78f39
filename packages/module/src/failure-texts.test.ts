import { type ErrorCode, errors } from '@moorage/api';
import { failure, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Net, NetError, NetFailure } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { testCertificates } from '@moorage/net/testing/certificates';
import { tlsPair } from '@moorage/net/testing/nets';
import { describe, expect, test } from 'vitest';
import { activeRig, cloudRig } from './testing/cloud-rig.ts';
import { moduleRig } from './testing/module-rig.ts';
import { moduleIp, networkRig } from './testing/network-rig.ts';
import { foreignAmong } from './testing/own-texts.ts';
import { webRig } from './testing/web-rig.ts';

// Each source of failure is made to fail, with the words of Node, of a library or of a validator below it: what the log
// and the answers then say has to be made of the module's own texts.

/** What the layers below say of each failure of the network. */
const foreign: Readonly<Record<NetError, Omit<NetFailure, 'error'>>> = {
  refused: { detail: 'connect ECONNREFUSED 10.5.6.9:443', code: 'ECONNREFUSED' },
  unreachable: { detail: 'connect EHOSTUNREACH 10.5.6.9:443', code: 'EHOSTUNREACH' },
  timeout: { detail: 'connect ETIMEDOUT 10.5.6.9:443', code: 'ETIMEDOUT' },
  'not-found': { detail: 'getaddrinfo ENOTFOUND far.test', code: 'ENOTFOUND' },
  'in-use': { detail: 'listen EADDRINUSE: address already in use 127.0.0.1:80', code: 'EADDRINUSE' },
  denied: { detail: 'bind EACCES 0.0.0.0:80', code: 'EACCES' },
  tls: { detail: 'self-signed certificate in certificate chain', code: 'SELF_SIGNED_CERT_IN_CHAIN' },
  reset: { detail: 'read ECONNRESET', code: 'ECONNRESET' },
};

/** A network that gives an address and refuses everything else. */
function brokenNet(error: NetError): Net {
  const broken = async () => failure({ error, ...foreign[error] });
  const { lease } = new MemoryNetwork(new VirtualClock()).attach('module', moduleIp);
  return { dial: broken, secure: broken, listen: broken, datagrams: broken, resolve: broken, ping: broken, lease };
}

/** All that the module does on the network, as far as it can be asked for. */
const attempts: readonly (readonly [line: string, data?: string])[] = [
  ['tcp_client far.test 80'],
  ['tls_client far.test 443'],
  ['udp_client far.test 80'],
  ['http_get http://far.test/a'],
  ['http_get https://far.test/a'],
  ['http_download http://far.test/a b'],
  ['http_upload http://far.test/a caps.json caps.json'],
  ['network_lookup far.test'],
  ['ping far.test'],
  ['mdns_discover'],
  ['tcp_server start 3000'],
  ['udp_server start 3001'],
  ['smtp_send a@b.test hello 2', 'hi'],
  ['dms info'],
  ['dms products'],
  ['dms provision'],
  ['dms claim ada secret'],
  ['dms echo hello'],
  ['dms telemetry'],
  ['dms file list device'],
  ['dms file download device a'],
  ['dms file upload device caps.json'],
  ['ota'],
  ['cloud_activate ada secret caps.json'],
  ['cloud_deactivate ada secret'],
  ['cloud_sync'],
  ['cloud_message list'],
  ['cloud_capabilities list'],
  ['cloud_capabilities download a.json'],
];

const settings = [
  'mdns.enabled 1',
  'ntp.enabled 1',
  'remote_terminal.enabled 1',
  'http.server.enabled 1',
  'broadcast.udp.enabled 1',
  'softap.ssid harbour',
  'email.smtp.host far.test',
  'email.name_address me@b.test',
  'wlan.ssid harbour-open',
];

const capabilities = '{"name":"A","version":"1","streams":{"temp":{"type":"number","max":40}}}';

test("what the layers below say is none of the module's texts", () => {
  const details = Object.values(foreign).map(({ detail }) => detail);
  expect(foreignAmong([...details, 'must match format "uuid"', 'Unexpected token h in JSON'])).toHaveLength(10);
});

describe.each(Object.keys(foreign) as NetError[])('a network that fails with "%s"', (error) => {
  test("is reported in the module's own texts, by commands and by services", async () => {
    const { clock, module } = await moduleRig({ net: brokenNet(error), store: new MemoryStore() });
    await module.execute(`file_create caps.json ${capabilities.length}`, Buffer.from(capabilities));
    for (const setting of settings) await module.execute(`set ${setting}`);
    const lines: string[] = [];
    module.log.attach((line) => lines.push(line));
    const run = async (line: string, data?: string): Promise<void> => {
      let done: { readonly text: string } | undefined;
      const running = module.execute(line, data === undefined ? undefined : Buffer.from(data));
      void running.then((execution) => {
        done = execution;
      });
      for (let step = 0; step < 600 && !done; step++) await clock.advance(1_000);
      if (!done) throw new Error(`${line} did not end`);
      lines.push(...done.text.split('\r\n').filter((text) => text !== ''));
    };
    await run('network_up');
    await run('network_up -i softap');
    for (const [line, data] of attempts) await run(line, data);
    await clock.advance(60_000);
    expect(foreignAmong(lines)).toEqual([]);
    // They did fail, and said so.
    expect(lines.filter((line) => line === 'Command failed').length).toBeGreaterThan(20);
    expect(lines.some((line) => line.startsWith('HTTP server not started: '))).toBe(true);
  });
});

/** With its network up, so that a join says nothing. */
async function joinedRig(options: Parameters<typeof cloudRig>[0] = {}) {
  const rig = await cloudRig(options);
  await rig.run('network_up');
  return rig;
}

describe('the service', () => {
  const codes = Object.keys(errors) as ErrorCode[];
  test.each(codes)('refuses with %s', async (code) => {
    const { peer, run } = await joinedRig();
    // Blanks filled with what a service would put there.
    const detail = code === 'INVALID_REQUEST' ? 'Field "uuid" of the body must match format "uuid"' : 'none';
    const words = errors[code].message.replace('{detail}', detail).replace('{problem}', 'is not a number');
    peer.refuse('GET /info', errors[code].status, words.replace(/\{\w+\}/g, 'harbour'), code);
    const lines = await run('dms info');
    expect(foreignAmong(lines.slice(0, -1))).toEqual([]);
    expect(lines).toHaveLength(2);
    expect(lines.at(-1)).toBe('1 Command failed');
  });

  test('refuses a field in the words of its validator', async () => {
    const { peer, run } = await joinedRig();
    const words = 'Field "message_id" of the params must match format "uuid"';
    peer.refuse('GET /info', 400, words, 'INVALID_REQUEST');
    expect(await run('dms info')).toEqual(['Refused by the service: message_id', '1 Command failed']);
  });

  test.each([
    ['a code of another server', 503, { code: 'FST_ERR_OOPS', message: 'Cannot read properties of undefined' }],
    ['words without a code', 500, { message: 'connect ECONNREFUSED' }],
    ['a page', 502, Buffer.from('<html>Bad gateway</html>')],
    ['another shape', 200, { uuid: 1 }],
    ['no JSON', 200, Buffer.from('hello')],
  ])('answers with %s', async (_, status, body) => {
    const { peer, run } = await joinedRig();
    peer.answers.set('GET /info', { status, body });
    const lines = await run('dms info');
    expect(lines).toHaveLength(2);
    expect(foreignAmong(lines.slice(0, -1))).toEqual([]);
  });

  test('breaks off, or speaks another protocol', async () => {
    for (const [bytes, said] of [
      ['SSH-2.0-harbour\r\n', 'The reply is not HTTP'],
      ['', 'Connection reset'],
    ] as const) {
      const { network, run, module } = await joinedRig();
      const other = network.attach('other.test', '10.9.9.8');
      unwrap(await other.listen(443, ({ stream }) => void stream.once('data', () => stream.end(bytes))));
      module.variables.set('ota.host', 'other.test');
      expect(await run('dms info')).toEqual([said, '1 Command failed']);
    }
  });

  test('has a certificate of an authority that is not known', async () => {
    const { network, run, module } = await joinedRig({ tls: tlsPair });
    const tls = await (await testCertificates()).issue('other.test', false);
    unwrap(await network.attach('other.test', '10.9.9.8').listen(443, () => {}, { tls }));
    module.variables.set('ota.host', 'other.test');
    expect(await run('dms info')).toEqual(['Error with TLS handshake: 5035', '1 Command failed']);
    expect((await run('tls_client other.test 443')).slice(-3)).toEqual([
      'Error with TLS handshake: 5035',
      '[Open failed]',
      '1 Command failed',
    ]);
  });
});

describe('the data cloud', () => {
  const file = (more: object) => JSON.stringify({ ...JSON.parse(capabilities), ...more });
  test.each([
    ['a list', '[]'],
    ['no name', '{"version":"1"}'],
    ['an empty name', file({ name: '' })],
    ['a long name', file({ name: 'n'.repeat(65) })],
    ['a number as version', file({ version: 1 })],
    ['a stream of no type', file({ streams: { a: {} } })],
    ['a stream of another type', file({ streams: { a: { type: 'colour' } } })],
    ['a stream with a wrong name', file({ streams: { A: { type: 'number' } } })],
    [
      'too many streams',
      file({ streams: Object.fromEntries([...'abcdefghijklmnopq'].map((n) => [n, { type: 'number' }])) }),
    ],
    ['a default that is no value', file({ controls: { a: { type: 'number', default: [] } } })],
    ['a range that is empty', file({ streams: { a: { type: 'number', min: 2, max: 1 } } })],
    ['no JSON', 'hello'],
  ])('a capabilities file with %s', async (_, content) => {
    const { run, writeFile } = await cloudRig();
    await writeFile('bad.json', content);
    const lines = await run('cloud_activate ada secret bad.json');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^Capabilities file malformed: ./);
    expect(foreignAmong(lines.slice(0, -1))).toEqual([]);
  });

  test.each([
    ['cloud_write nothing 1', 'No such stream or control: nothing'],
    ['cloud_write temp warm', 'Value of temp is not a number'],
    ['cloud_write temp 1e999', 'Value of temp is too large'],
    [`cloud_write status ${'x'.repeat(129)}`, 'Value of status is longer than 128 characters'],
    ['cloud_write temp,1|nothing,2', 'No such stream or control: nothing'],
    ['cloud_write Temp 1', 'Name, value or time malformed'],
    ['cloud_write temp 1 never', 'Name, value or time malformed'],
    ['cloud_read nothing', 'No such stream or control: nothing'],
  ])('%s says why it is refused', async (line, why) => {
    const { run } = await activeRig();
    const lines = await run(line);
    expect(lines).toEqual([why, '7 Invalid argument']);
    expect(foreignAmong([why])).toEqual([]);
  });
});

describe('a mail server', () => {
  test.each([
    ['hangs up', [''], 'Mail not sent: Connection reset'],
    ['is none', ['HTTP/1.1 400 Bad Request\r\n'], 'Mail not sent: Answer of the server malformed'],
    ['refuses the sender', ['220 b\r\n', '250 b\r\n', '550 No\r\n'], 'Mail refused: 550 No'],
    [
      'is sent a file that goes meanwhile',
      ['220 b\r\n', '250 b\r\n', '250 b\r\n', '250 b\r\n', '354 b\r\n'],
      'Mail not sent: Attachment not readable',
    ],
    ['offers no login', ['220 b\r\n', '250 b\r\n', '504 No login\r\n'], 'Mail refused: 504 No login', 'ada'],
  ])('that %s', async (_, answers, why, username = '') => {
    const rig = await networkRig();
    await rig.join();
    const left = [...answers];
    const host = rig.network.attach('mail.test', '10.5.6.9');
    const answer = (stream: NodeJS.WritableStream) => {
      const next = left.shift();
      if (next?.startsWith('354')) void rig.module.execute('file_delete kept');
      if (next === '') stream.end();
      else if (next !== undefined) stream.write(next);
    };
    const accept: Parameters<Net['listen']>[1] = ({ stream }) => {
      stream.on('error', () => {});
      stream.on('data', () => answer(stream));
      answer(stream);
    };
    unwrap(await host.listen(587, accept));
    await rig.runAll('set email.smtp.host mail.test', 'set email.smtp.port 587', 'set email.name_address a@b.test');
    if (username !== '') await rig.runAll(`set email.smtp.username ${username}`, 'set email.smtp.password secret');
    expect(await rig.run('file_create kept 4', 'kept')).toMatch(/^0/);
    rig.said();
    const sent = rig.run('smtp_send c@b.test hello 2 kept', 'hi');
    for (let step = 0; step < 20; step++) await rig.pass(100);
    expect(await sent).toBe('1 Command failed');
    const lines = rig.said();
    expect(lines.at(-1)).toBe(why);
    expect(foreignAmong(lines)).toEqual([]);
  });
});

test('a server of the time that cannot be reached says nothing', async () => {
  const rig = await networkRig();
  await rig.runAll('set ntp.enabled 1', 'set ntp.server nowhere.test');
  await rig.join();
  rig.said();
  await rig.pass(3_600_000);
  expect(rig.said()).toEqual([]);
});

describe('a store that fails', () => {
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };

  test('is a 500 of the HTTP server, with a line that names the storage', async () => {
    const rig = await webRig();
    const { executeNow } = rig.module;
    rig.module.executeNow = full;
    const answer = await rig.call('GET', '/command/ver');
    rig.module.executeNow = executeNow;
    expect(answer.status).toBe(500);
    expect(answer.text).toBe('Server error\r\n');
    expect(rig.logged()).toContain('HTTP server error: Storage full');
    await rig.close();
  });

  test('is named when it does not take the controls that have come', async () => {
    const store = new MemoryStore();
    const { clock, module, printed } = await activeRig({ store });
    const { create } = store;
    store.create = async () => full();
    module.client.act({ action: 'control', controls: [{ n: 'led1', v: 1, t: 1_800_000_000 }] });
    await clock.advance(1);
    store.create = create;
    expect(printed).toContain('Not pushed: Storage full');
    expect(foreignAmong(printed)).toEqual([]);
  });
});
