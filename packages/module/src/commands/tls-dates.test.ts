import { ignoreFailure, unwrap } from '@moorage/base';
import { type TestCertificate, testCertificates } from '@moorage/net/testing/certificates';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadPersonality } from '../personality/personality.ts';
import { farPort, type SocketRig, socketRig } from '../testing/socket-rig.ts';

let rig: SocketRig;
afterEach(() => rig.close());

let authority: Awaited<ReturnType<typeof testCertificates>>;
let server: TestCertificate;
let expired: TestCertificate;
beforeAll(async () => {
  authority = await testCertificates();
  [server, expired] = await Promise.all([
    authority.issue('far.test', false),
    authority.issue('far.test', false, new Date(1_000_000_000_000)),
  ]);
});

const seconds = (date: string): number => Date.parse(date) / 1000;

/** Every command that opens a TLS connection to a host that it names. */
const clients = [
  `tls_client far.test ${farPort} ca.pem`,
  `http_get https://far.test:${farPort}/ ca.pem`,
  `http_head https://far.test:${farPort}/ ca.pem`,
  `http_download https://far.test:${farPort}/a a 0 FE ca.pem`,
  `http_upload https://far.test:${farPort}/a ca.pem a ca.pem`,
  'smtp_send a@b.example hello 2',
];

/** Serves with a certificate, to a module with its authority. */
async function serve(tls: TestCertificate, personality = '{}'): Promise<void> {
  rig = await socketRig('memory', { personality: unwrap(loadPersonality(personality)) });
  await rig.serve(farPort, { tls });
  await rig.run(`fcr ca.pem ${authority.ca.length}`, authority.ca);
  for (const setting of ['network.ca_cert ca.pem', 'email.smtp.host far.test', 'email.name_address a@b.example'])
    await rig.run(`set ${setting}`);
  await rig.serve(465, { tls });
  await rig.run('set email.smtp.port 465');
}

// Spec: MOD-VAR-time.rtc. Reference: network 6.4.
describe.each(clients)('%s', (line) => {
  test.each([
    ['2040-01-01', true],
    ['1970-01-02', true],
    [new Date().toISOString(), false],
  ])('judges a certificate of today by its own clock, at %s', async (date, refused) => {
    await serve(server);
    await rig.run(`set time.rtc ${Math.floor(seconds(date))}`);
    const answer = rig.run(line, 'hi');
    await rig.settle();
    const lines = rig.printed.join('|');
    if (refused) expect(await answer).toContain('Error with TLS handshake: 5036');
    else expect(lines).not.toContain('Error with TLS');
  });
});

test.each([
  ['host', 'expired', true],
  ['ignored', 'expired', false],
  ['epoch', 'expired', true],
  ['host', 'server', false],
  ['epoch', 'server', true],
] as const)('a clock that has not been set judges by %s: the %s certificate', async (unsetClock, which, refused) => {
  await serve(which === 'expired' ? expired : server, JSON.stringify({ unsetClock }));
  const answer = await rig.run(`tls_client far.test ${farPort} ca.pem`);
  expect(answer.includes('Error with TLS handshake: 5036')).toBe(refused);
});

test('a client of its server is judged by the same clock', async () => {
  rig = await socketRig();
  for (const [name, text] of Object.entries({ 'c.pem': server.cert, 'k.pem': server.key, 'ca.pem': authority.ca }))
    await rig.run(`fcr ${name} ${text.length}`, text);
  for (const setting of ['tls_cert c.pem', 'tls_key k.pem', 'tls_enabled 1', 'tls_verify_peer 1', 'enabled 1'])
    await rig.run(`set http.server.${setting}`);
  await rig.run('set network.ca_cert ca.pem');
  await rig.run(`set time.rtc ${seconds('2040-01-01')}`);
  await rig.run('network_restart');
  unwrap(await rig.until(rig.module.wlan.ensureUp()));
  await rig.settle();
  const { cert, key } = await authority.issue('client', true);
  const tls = { ca: authority.ca, cert, key, serverName: 'far.test' };
  ignoreFailure(rig.far.dial({ host: rig.moduleIp, port: 80, tls, timeoutMs: 5_000 }));
  await rig.settle();
  expect(rig.printed.join('|')).toContain('Error with TLS handshake: 5036');
});
