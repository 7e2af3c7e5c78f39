import { type TestCertificate, testCertificates } from '@moorage/net/testing/certificates';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { farPort, grounds, type SocketRig, socketRig } from '../testing/socket-rig.ts';

let rig: SocketRig;
afterEach(() => rig.close());

let authority: Awaited<ReturnType<typeof testCertificates>>;
let server: TestCertificate;
let other: Awaited<ReturnType<typeof testCertificates>>;
beforeAll(async () => {
  [authority, other] = await Promise.all([testCertificates(), testCertificates()]);
  server = await authority.issue('far.test', false);
});

/** Puts a PEM text into the module's flash. */
async function keep(name: string, text: string): Promise<void> {
  expect(await rig.run(`fcr ${name} ${text.length}`, text)).toBe('0 File created');
}

/** In memory hosts have names; on real sockets the certificate is for localhost, at 127.0.0.1 and its name. */
const nameOnMemory = 'far.test';

describe('tls_client', () => {
  // MOD-CMD-tls_client, MOD-STREAM-TLSC, MOD-RULE-tls
  test('shakes hands, carries bytes and closes, with the documented lines', async () => {
    rig = await socketRig();
    const { accepted } = await rig.serve(farPort, { tls: server });
    await keep('my_ca.pem', authority.ca);
    expect(await rig.run(`tlsc ${nameOnMemory} ${farPort} my_ca.pem`)).toBe(
      `[Opening: far.test:${farPort}]|Connecting (TLS): far.test:${farPort}|Starting TLS|[Opened: 0]|0 0`,
    );
    expect(await rig.run('list 0')).toMatch(new RegExp(`^0 TLSC  far.test:${farPort} \\(\\d+\\)$`));
    await rig.run('write 0 6', 'secret');
    await rig.settle();
    expect(accepted[0]?.text).toBe('secret');
    accepted[0]?.stream.end('answer');
    await rig.settle();
    expect(await rig.run('read 0 99')).toBe('[Closed: 0]|0 answer');
  });

  test('network.ca_cert names the authorities when the command does not', async () => {
    // MOD-VAR-network.ca_cert
    rig = await socketRig();
    await rig.serve(farPort, { tls: server });
    await keep('mine.pem', authority.ca);
    await keep('theirs.pem', other.ca);
    await rig.run('set network.ca_cert mine.pem');
    expect(await rig.run(`tlsc far.test ${farPort}`)).toMatch(/\[Opened: 0\]\|0 0$/);
    expect(await rig.run(`tlsc far.test ${farPort} theirs.pem`)).toMatch(
      /\|Starting TLS\|Error with TLS handshake: 5035\|\[Open failed\]\|1 Command failed$/,
    );
  });

  test('a certificate for another name fails', async () => {
    rig = await socketRig();
    await rig.serve(farPort, { tls: await authority.issue('elsewhere.test', false) });
    await keep('mine.pem', authority.ca);
    const answer = await rig.run(`tlsc far.test ${farPort} mine.pem`);
    expect(answer).toMatch(/\|Error with TLS handshake: 5037\|\[Open failed\]\|1 Command failed$/);
  });

  test('a server without TLS fails', async () => {
    rig = await socketRig();
    const { accepted } = await rig.serve();
    await keep('mine.pem', authority.ca);
    const running = rig.module.execute(`tlsc far.test ${farPort} mine.pem`);
    await rig.settle();
    accepted[0]?.send('220 plain text\r\n');
    expect((await rig.until(running)).code).toBe(1);
    expect((await rig.said()).at(-2)).toBe('Error with TLS handshake: 5007');
  });

  test('a server that says nothing fails after tcp.client.connect_timeout', async () => {
    rig = await socketRig();
    await rig.serve();
    await keep('mine.pem', authority.ca);
    const startedMs = rig.clock.monotonic();
    expect(await rig.run(`tlsc far.test ${farPort} mine.pem`)).toMatch(/\|\[Open failed\]\|1 Command failed$/);
    expect(rig.clock.monotonic() - startedMs).toBeGreaterThanOrEqual(5_000);
  });

  test('a CA file that is not there or no certificate fails before anything is dialled', async () => {
    rig = await socketRig();
    expect(await rig.run(`tlsc far.test ${farPort} nowhere.pem`)).toBe('File not found|1 Command failed');
    await keep('notes.txt', 'no certificate');
    expect(await rig.run(`tlsc far.test ${farPort} notes.txt`)).toBe('Certificate malformed|1 Command failed');
  });

  const refusals: readonly (readonly [string, string])[] = [
    ['tlsc', '4 Too few arguments'],
    ['tlsc far.test', '4 Too few arguments'],
    ['tlsc far.test 0', '7 Invalid argument'],
    ['tlsc far.test 1 a b', '5 Too many arguments'],
    ['tlss', '4 Too few arguments'],
    ['tlss begin', '7 Invalid argument'],
    ['tlss start 70000', '7 Invalid argument'],
    ['tlss start 3001 cert.pem', '4 Too few arguments'],
    ['tlss start cert.pem', '4 Too few arguments'],
    ['tlss start 3001 a b c', '5 Too many arguments'],
    ['tlss start', 'No certificate and key|1 Command failed'],
    ['tlss start a b', 'File not found|1 Command failed'],
    ['tlss stop x', '7 Invalid argument'],
    ['tlss stop 1 2', '5 Too many arguments'],
    ['tlss stop', 'Server not running|1 Command failed'],
  ];
  test.each(refusals)('%s answers %s', async (line, answer) => {
    rig = await socketRig();
    expect(await rig.run(line)).toBe(answer);
  });
});

describe.each(grounds)('tls_server over %s', (ground) => {
  // MOD-CMD-tls_server, MOD-STREAM-TLSS, MOD-RULE-tls
  const call = async (port: number) => {
    const connection = await rig.until(
      rig.far.dial({
        host: rig.moduleIp,
        port,
        timeoutMs: 5_000,
        tls: { ca: authority.ca, serverName: 'localhost' },
      }),
    );
    if (!connection.ok) throw new Error(connection.error.detail);
    return connection.value;
  };

  test('a certificate and the key of another one start nothing', async () => {
    rig = await socketRig(ground);
    await keep('srv.pem', authority.server.cert);
    await keep('other.key', other.server.key);
    expect(await rig.run('tlss start 3443 srv.pem other.key')).toBe('Certificate malformed|1 Command failed');
    expect(await rig.run('tlss stop')).toBe('Server not running|1 Command failed');
  });

  test('each client becomes a stream after its handshake', async () => {
    rig = await socketRig(ground);
    await keep('srv.pem', authority.server.cert);
    await keep('srv.key', authority.server.key);
    expect(await rig.run('tlss start 3443 srv.pem srv.key')).toBe('TLS server listening on port: 3443|0 Success');
    const { stream } = await call(3443);
    expect(await rig.said()).toEqual(['TLS server listening on port: 3443', 'Starting TLS', '[Opened: 0]']);
    expect(await rig.run('list 0')).toMatch(new RegExp(`^0 TLSS  ${rig.moduleIp}:3443 ${rig.farIp}:\\d+$`));
    stream.write('hello');
    await rig.settle();
    expect(await rig.run('read 0 99')).toBe('0 hello');
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await rig.run('write 0 5', 'again');
    await rig.settle();
    expect(text).toBe('again');
    stream.on('error', () => {});
    expect(await rig.run('tcps stop')).toBe('Server not running|1 Command failed');
    expect(await rig.run('tlss stop 3443')).toBe('[Closed: 0]|0 Success');
    stream.destroy();
  });

  test('a client that breaks the handshake is reported in the log and takes no stream', async () => {
    rig = await socketRig(ground);
    await keep('srv.pem', authority.server.cert);
    await keep('srv.key', authority.server.key);
    await rig.run('tlss start 3443 srv.pem srv.key');
    await rig.said();
    const plain = await rig.call(3443);
    plain.send('GET / HTTP/1.0\r\n\r\n');
    const lines = await rig.said();
    expect(lines[0]).toBe('Starting TLS');
    expect(lines[1]).toBe('Error with TLS handshake: 5007');
    expect(lines).toHaveLength(2);
    expect(await rig.run('poll all')).toBe('0 None');
  });

  test('tcp.server.tls_enabled makes tcp_server one, with the files of the HTTP server', async () => {
    // MOD-VAR-tcp.server.tls_enabled
    rig = await socketRig(ground);
    await rig.run('set tcp.server.tls_enabled 1');
    expect(await rig.run('tcps start 3444')).toBe('No certificate and key|1 Command failed');
    await keep('srv.pem', authority.server.cert);
    await keep('srv.key', authority.server.key);
    await rig.run('set http.server.tls_cert srv.pem');
    await rig.run('set http.server.tls_key srv.pem');
    expect(await rig.run('tcps start 3444')).toBe('Certificate malformed|1 Command failed');
    await rig.run('set http.server.tls_key srv.key');
    expect(await rig.run('tcps start 3444')).toBe('TLS server listening on port: 3444|0 Success');
    const { stream } = await call(3444);
    await rig.settle();
    expect(await rig.run('list 0')).toMatch(/^0 TLSS /);
    stream.on('error', () => {});
    expect(await rig.run('tcps stop')).toBe('[Closed: 0]|0 Success');
    stream.destroy();
  });
});
