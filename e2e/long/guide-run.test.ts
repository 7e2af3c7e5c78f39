import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority, makeServerCertificate } from '@moorage/service/core/certificates/certificates';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventOf, killAll, type Moorage, moorage } from '../command-line.ts';

const guide = await readFile(new URL('../../docs/guide/run.md', import.meta.url), 'utf8');

/** The command of the guide that makes an invitation behind a proxy. */
const inviting = /^bin\/moorage user invite .*--public-url.*$/m.exec(guide)?.[0] ?? '';

/** The block of the guide in this language. */
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide)?.[1] ?? '';

const proxies = {
  // Its stream module is a package of its own.
  nginx: {
    package: 'nginx-light and libnginx-mod-stream',
    probe: ['nginx', ['-v']],
    module: '/usr/lib/nginx/modules/ngx_stream_module.so',
  },
  haproxy: { package: 'haproxy', probe: ['haproxy', ['-v']], module: undefined },
  caddy: { package: 'caddy', probe: ['caddy', ['version']], module: undefined },
} as const;

type Proxy = keyof typeof proxies;

const isThere = async (name: Proxy): Promise<boolean> => {
  const { probe, module } = proxies[name];
  const [program, args] = probe;
  if (spawnSync(program, args).status !== 0) return false;
  return (
    module === undefined ||
    readFile(module).then(
      () => true,
      () => false,
    )
  );
};
const missing = new Set<Proxy>();
for (const name of ['nginx', 'haproxy', 'caddy'] as const) if (!(await isThere(name))) missing.add(name);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

let folder: string;
let service: Moorage;
let ready: Record<string, unknown>;
let ports: { https: number; devices: number };
let proxy: ChildProcess | undefined;
const path = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-guide-run-'));
  const authority = await makeAuthority(Date.now());
  const { certificate, key } = await makeServerCertificate(authority, ['localhost'], Date.now());
  await writeFile(path('web-ca.pem'), authority.certificate);
  await writeFile(path('hub.crt'), certificate);
  await writeFile(path('hub.key'), key);
  await writeFile(path('hub.pem'), certificate + key);
  ports = { https: await freePort(), devices: await freePort() };
  const args = block('sh').replaceAll('\\\n', ' ').trim().split(/\s+/).slice(1);
  // The ports and the name of the guide are those of a server.
  const given = args.map((word) =>
    word
      .replace(/^(8080|18443)$/, '0')
      .replace(':9090', ':0')
      .replace('hub.example:8443', `localhost:${ports.devices}`)
      .replace('hub.example', `localhost:${ports.https}`),
  );
  // A service with a public name that is not this machine wants invitations by itself.
  const policy = ['--sign-up', 'invite'];
  service = moorage([...given, ...policy, '--data', path('data'), '--access-log', '--json']);
  ready = await eventOf(service, 'ready');
  const ca = await fetch(`${ready.api}/api/ca.pem`);
  await writeFile(path('ca.pem'), await ca.text());
});

afterEach(async () => {
  proxy?.kill('SIGTERM');
  if (proxy && proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'close');
  proxy = undefined;
});

afterAll(async () => {
  service.process.kill('SIGTERM');
  await service.ended;
  killAll();
  await rm(folder, { recursive: true });
});

/** The configuration of the guide with the ports and paths of this test. */
const adapted = (language: Proxy): string =>
  block(language)
    .replaceAll('127.0.0.1:8080', String(ready.api).replace('http://', ''))
    .replaceAll('127.0.0.1:18443', String(ready.devices).replace('https://', ''))
    .replaceAll(/\b443\b/g, String(ports.https))
    .replaceAll(/\b8443\b/g, String(ports.devices))
    .replaceAll('/etc/hub', path('hub'))
    .replaceAll('hub.example', 'localhost');

const starts: Readonly<Record<Proxy, () => Promise<ChildProcess>>> = {
  async nginx() {
    const own = `load_module ${proxies.nginx.module};\ndaemon off;\nmaster_process off;\npid ${path('nginx.pid')};\nerror_log stderr;\nevents {}\n`;
    const logs = `http {\n  access_log off;\n  client_body_temp_path ${path('nginx-body')};\n  proxy_temp_path ${path('nginx-proxy')};`;
    await writeFile(path('nginx.conf'), own + adapted('nginx').replace('http {', logs));
    return spawn('nginx', ['-e', 'stderr', '-c', path('nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
  },
  async haproxy() {
    await writeFile(path('haproxy.cfg'), adapted('haproxy'));
    return spawn('haproxy', ['-db', '-f', path('haproxy.cfg')], { stdio: ['ignore', 'ignore', 'pipe'] });
  },
  async caddy() {
    const site = `https://localhost:${ports.https} {\n  tls ${path('hub.crt')} ${path('hub.key')}`;
    const own = '{\n  admin off\n  auto_https disable_redirects\n  skip_install_trust\n}\n';
    await writeFile(path('Caddyfile'), own + adapted('caddy').replace('localhost {', site));
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const args = ['run', '--adapter', 'caddyfile', '--config', path('Caddyfile')];
    return spawn('caddy', args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  },
};

/** Invites somebody as the guide does, and returns the link. */
async function invite(email: string): Promise<string> {
  const words = inviting.split(/\s+/).slice(1);
  const args = words.map((word) =>
    word.replace('ada@example.com', email).replace('hub.example', `localhost:${ports.https}`),
  );
  const program = moorage([...args, '--data', path('data'), '--json']);
  const { link } = await eventOf(program, 'invitation');
  await program.ended;
  return String(link);
}

/** What curl prints for a page of the proxy, which may still be starting. */
const curl = (ca: string, ...args: readonly string[]): string => {
  const patient = ['--retry', '50', '--retry-delay', '0', '--retry-connrefused', '--max-time', '60'];
  const ran = spawnSync('curl', ['-sS', ...patient, '--cacert', path(ca), ...args], { encoding: 'utf8' });
  // It also tells of the times when nothing listened yet.
  expect(ran.status, ran.stderr).toBe(0);
  return ran.stdout;
};

test('the service names the addresses that others see', () => {
  expect(ready).toMatchObject({ public: `https://localhost:${ports.https}`, ops: expect.stringMatching(/^http:/) });
  expect(ready.deviceNames).toContain('localhost');
});

test('monitors have a port of their own', async () => {
  expect((await fetch(`${ready.ops}/metrics`)).status).toBe(200);
  expect((await fetch(`${ready.api}/metrics`)).status).toBe(401);
});

describe.each(['nginx', 'haproxy', 'caddy'] as const)('behind %s', (name) => {
  test.skipIf(missing.has(name))(
    `people are who they are, browsers have HTTP/2 and devices their own TLS (needs curl and ${proxies[name].package})`,
    async () => {
      proxy = await starts[name]();
      let errors = '';
      proxy.stderr?.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      const url = `https://localhost:${ports.https}`;
      const version = ['-o', path('page'), '-w', '%{http_version} %{http_code}'];
      expect(curl('web-ca.pem', '--http2', ...version, `${url}/healthz`), errors).toBe('2 200');
      // What the client says of itself does not count; what the proxy saw does.
      const forged = [
        '-H',
        'X-Forwarded-For: 6.6.6.6',
        '--interface',
        '127.0.0.9',
        '--resolve',
        `localhost:${ports.https}:127.0.0.1`,
      ];
      curl('web-ca.pem', ...forged, `${url}/api/nothing-of-${name}`);
      const line = (): string | undefined =>
        service
          .errors()
          .split('\n')
          .find((text) => text.includes(`nothing-of-${name}`));
      await expect.poll(line).toBeDefined();
      expect(JSON.parse(line() ?? '{}')).toMatchObject({ ip: '127.0.0.9', status: 404 });
      const account = { email: `${name}@example.com`, password: 'long enough by far' };
      const link = await invite(account.email);
      expect(link).toMatch(new RegExp(`^${url}/sign-up#.+`));
      expect(curl('web-ca.pem', '-o', path('page'), '-w', '%{http_code}', link)).toBe('200');
      const invitation = decodeURIComponent(new URL(link).hash.slice(1));
      const body = JSON.stringify({ ...account, invitation });
      const own = ['-H', 'content-type: application/json', '-H', 'x-console: 1', '-H', `origin: ${url}`];
      const signUp = (sent: string) => curl('web-ca.pem', '-i', ...own, '-d', sent, `${url}/api/auth/session/signup`);
      expect(signUp(JSON.stringify(account))).toContain('INVITATION_NEEDED');
      const session = signUp(body);
      expect(session).toMatch(/ 200/);
      expect(session).toMatch(/set-cookie: .*; Secure/i);
      const cookie = /set-cookie: ([^;]+)/i.exec(session)?.[1] ?? '';
      const events = request(`${url}/api/events`, {
        ca: await readFile(path('web-ca.pem')),
        headers: { cookie },
      }).end();
      const [stream] = await once(events, 'response');
      expect(String((await once(stream, 'data'))[0])).toContain('retry: ');
      events.destroy();
      // One proxy passes no TLS through; there devices dial the listener.
      const devices =
        name === 'caddy'
          ? String(ready.devices).replace('127.0.0.1', 'localhost')
          : `https://localhost:${ports.devices}`;
      expect(JSON.parse(curl('ca.pem', `${devices}/info`))).toMatchObject({ code: 'DEVICE_NOT_IDENTIFIED' });
    },
  );
});
