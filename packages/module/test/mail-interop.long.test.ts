import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Net } from '@moorage/net';
import { nodeNet } from '@moorage/net/node';
import { type TestCertificate, testCertificates } from '@moorage/net/testing/certificates';
import { afterEach, describe, expect, test } from 'vitest';
import { createModule } from '../src/module.ts';
import { offlinePersonality } from '../src/testing/offline.ts';
import { background, freePort, missingProgram } from './interop.ts';

const reason = missingProgram('exim4') || (process.getuid?.() === 0 ? '' : 'exim4 needs the superuser');
/** The one address that the certificates of the tests name. */
const serverIp = '127.0.0.1';
const implicitPort = 465;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Exim {
  readonly certificate?: TestCertificate;
  /** Offers login on connections without TLS, too. */
  readonly plainLogin?: boolean;
}

/** A mail server that keeps what it takes. It listens for TLS at once and for STARTTLS. */
async function exim({ certificate, plainLogin = false }: Exim) {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-exim-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  const file = (name: string): string => join(folder, name);
  const [plain, implicit] = [await freePort(serverIp, 'tcp'), await freePort(serverIp, 'tcp')];
  writeFileSync(file('cert'), certificate?.cert ?? '');
  writeFileSync(file('key'), certificate?.key ?? '');
  mkdirSync(file('spool/input'), { recursive: true });
  const settings = `
spool_directory = ${folder}/spool
log_file_path = ${folder}/%slog
pid_file_path = ${folder}/pid
exim_user = root
exim_group = root
primary_hostname = mail.test
local_interfaces = ${serverIp}
daemon_smtp_ports = ${plain} : ${implicit}
tls_on_connect_ports = ${implicit}
tls_advertise_hosts = ${certificate ? '*' : ''}
tls_certificate = ${folder}/cert
tls_privatekey = ${folder}/key
# Nothing is asked of a name server, and nothing is delivered.
host_lookup =
dns_ipv4_lookup =
rfc1413_query_timeout = 0s
queue_only = true
keep_environment =
acl_smtp_rcpt = rcpt
acl_smtp_data = accept
begin acl
rcpt:
  deny message = Relay not permitted
    !authenticated = *
    !domains = home.test
  accept
begin routers
begin transports
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{anna}}{eq{$auth3}{secret pass}}}}
  server_set_id = $auth2
  server_advertise_condition = \${if ${plainLogin ? 'eq{1}{1}' : 'def:tls_in_cipher'}}
`;
  writeFileSync(file('conf'), settings, { mode: 0o644 });
  const server = await background('exim4', ['-C', file('conf'), '-bdf', '-d-all+lists'], /Listening\.\.\./);
  ends.push(() => server.stop());
  const queue = file('spool/input');
  /** What the server knows of its one mail, and the mail. */
  const taken = (): string =>
    readdirSync(queue)
      .sort()
      .map((name) => readFileSync(join(queue, name), 'utf8'))
      .join('\n');
  return { plain, implicit, taken };
}

const { ca, issue } = await testCertificates();
const strangers = await testCertificates();
const certificates = {
  right: await issue('mail.test', false),
  expired: await issue('mail.test', false, new Date(Date.UTC(2001, 0))),
  foreign: await strangers.issue('mail.test', false),
};
type ServerParts = Awaited<ReturnType<typeof exim>>;

/** A module that sends its mail to the server: to the name or address, with TLS at once or by STARTTLS. */
async function sender(server: ServerParts, { implicit = false, login = '', host = serverIp } = {}) {
  const real = nodeNet({ ip: '127.0.0.44', portOffset: 0, listenLan: false });
  // The port number that means TLS at once, and the name, lead to where the server is.
  const net: Net = {
    ...real,
    dial: (wanted) => {
      const port = wanted.port === implicitPort ? server.implicit : wanted.port;
      return real.dial({ ...wanted, port, host: serverIp });
    },
  };
  const module = await createModule({
    clock: realClock,
    store: new MemoryStore(),
    net,
    seed: 1,
    personality: offlinePersonality,
  });
  ends.push(() => module.close());
  await module.boot();
  const [username, password] = login.split(':');
  for (const setting of [
    'broadcast.interval 0',
    'wlan.ssid harbour-open',
    `email.smtp.host ${host}`,
    `email.smtp.port ${implicit ? implicitPort : server.plain}`,
    'email.name_address module@home.test',
    ...(login ? [`email.smtp.username ${username}`, `email.smtp.password ${password}`] : []),
  ]) {
    expect((await module.execute(`set ${setting}`)).code, setting).toBe(0);
  }
  expect((await module.execute(`fcr ca.pem ${ca.length}`, Buffer.from(ca))).code).toBe(0);
  expect((await module.execute('set network.ca_cert ca.pem')).code).toBe(0);
  expect((await module.wlan.ensureUp('wlan')).ok).toBe(true);
  const log: string[] = [];
  module.log.attach((line) => log.push(line));
  /** The lines behind those of the connection, and the code. */
  return async (to = 'bob@home.test', body = 'Level 7\r\n.\r\n'): Promise<string> => {
    const { code } = await module.execute(`smtp_send ${to} Tide ${body.length}`, Buffer.from(body));
    return [...log.filter((line) => !/^\[Opening|^Connecting/.test(line)), code].join('|');
  };
}

const login = 'anna:secret pass';
const ways = [
  ['STARTTLS', false],
  ['TLS at once', true],
] as const;

// MOD-RULE-smtp, MOD-CMD-smtp_send
describe.skipIf(reason !== '')(`mail beside exim4${reason && ` (skipped: ${reason})`}`, () => {
  describe.each(ways)('%s', (_, implicit) => {
    test('a mail with login arrives as it was sent', async () => {
      const server = await exim({ certificate: certificates.right });
      const send = await sender(server, { implicit, login });
      expect(await send('sue@far.test')).toBe('Starting TLS|Mail sent|0');
      const taken = server.taken();
      expect(taken).toMatch(/^--auth_id anna$/m);
      expect(taken).toMatch(/^-tls_cipher TLS1\.[23]:/m);
      expect(taken).toContain('<module@home.test>');
      expect(taken).toContain('sue@far.test');
      expect(taken).toMatch(/Subject: Tide$/m);
      expect(taken).toMatch(/^Level 7\n\.\n$/m);
    });

    test.each([
      ['expired', serverIp, 5036],
      ['foreign', serverIp, 5035],
      ['right', 'other.test', 5037],
    ] as const)('a certificate that is %s for %s is refused by its number', async (which, host, number) => {
      const server = await exim({ certificate: certificates[which] });
      const send = await sender(server, { implicit, login, host });
      expect(await send()).toBe(`Starting TLS|Error with TLS handshake: ${number}|[Open failed]|1`);
      expect(server.taken()).toBe('');
    });

    test('a login that is refused tells the answer of the server', async () => {
      const server = await exim({ certificate: certificates.right });
      const send = await sender(server, { implicit, login: 'anna:wrong' });
      expect(await send()).toBe('Starting TLS|Mail refused: 535 Incorrect authentication data|1');
      expect(server.taken()).toBe('');
    });
  });

  test('a recipient elsewhere is refused without login', async () => {
    const server = await exim({ certificate: certificates.right });
    const send = await sender(server);
    expect(await send('sue@far.test')).toBe('Starting TLS|Mail refused: 550 Relay not permitted|1');
  });

  test('a server without TLS takes a plain mail', async () => {
    const server = await exim({});
    expect(await (await sender(server))()).toBe('Mail sent|0');
    expect(server.taken()).not.toMatch(/^-tls_cipher/m);
  });

  test.each([
    ['that offers no login is not sent the password', false],
    ['that offers login without TLS gets it', true],
  ] as const)('a server %s', async (_, plainLogin) => {
    const server = await exim({ plainLogin });
    expect(await (await sender(server, { login }))()).toBe('Mail sent|0');
    expect(/^--auth_id anna$/m.test(server.taken())).toBe(plainLogin);
  });

  test('a server that offers TLS and then cannot have it tells why', async () => {
    const server = await exim({ certificate: { cert: 'none', key: 'none' } });
    const send = await sender(server, { login });
    expect(await send()).toBe('Starting TLS|Mail refused: 454 TLS currently unavailable|1');
    expect(server.taken()).toBe('');
  });

  test('TLS at once with a server that begins without ends the handshake', async () => {
    const server = await exim({ certificate: certificates.right });
    const send = await sender({ ...server, implicit: server.plain }, { implicit: true });
    expect(await send()).toBe('Starting TLS|Error with TLS handshake: 5007|[Open failed]|1');
  });
});
