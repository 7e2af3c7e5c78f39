import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority, makeServerCertificate } from '@moorage/service/identity/certificates';
import { databaseSource } from '@moorage/service/testing/index';
import { NatsServer, natsMissing } from '@moorage/service/testing/nats-server';
import { freePort } from '@moorage/service/testing/postgres-server';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPrograms, runScript } from '../bash.ts';
import { eventOf, killAll, type Moorage, moorage } from '../command-line.ts';
import { blocksOf } from '../guide.ts';

const guidePorts = ['443', '8443', '8080', '9090', '18443'] as const;
const isThere = hasPrograms('curl', 'bash') && runScript('haproxy -v').status === 0;
const postgres = databaseSource('postgres', { holds: 'nothing' });

describe.skipIf(!isThere)('the guide to three nodes (needs curl, bash and haproxy)', () => {
  const nats = natsMissing === '' ? new NatsServer() : undefined;
  let folder: string;
  let store: S3rver;
  let proxy: ChildProcess;
  const proxyLines: string[] = [];
  let nodes: Moorage[];
  let api: string;
  const ports: Record<string, number> = {};
  const path = (name: string): string => join(folder, name);

  /** A block of the guide with the addresses, ports and paths of this test. */
  const adapted = async (language: string): Promise<string> => {
    const [block = ''] = await blocksOf('scale.md', language);
    return block
      .replaceAll(/\b(?:8443|8080|9090)\b/g, (port) => String(ports[port]))
      .replaceAll(/:443\b/g, `:${ports['443']}`)
      .replaceAll('10.0.0.', '127.0.0.')
      .replaceAll('/etc/hub', path('hub'))
      .replaceAll('/var/lib/moorage', path('data'));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-guide-scale-'));
    for (const port of guidePorts) ports[port] = await freePort();
    await mkdir(path('bucket'));
    const configureBuckets = [{ name: 'moorage' }];
    store = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: path('bucket'), configureBuckets });
    const { port: storePort } = await store.run();
    await nats?.start();
    const authority = await makeAuthority(Date.now());
    const { certificate, key } = await makeServerCertificate(authority, ['localhost'], Date.now());
    await writeFile(path('web-ca.pem'), authority.certificate);
    await writeFile(path('hub.pem'), certificate + key);

    const config = JSON.parse(await adapted('json')) as Record<string, unknown>;
    // The services of other machines are where the test has them, and so is the name that people see.
    Object.assign(config, {
      database: await postgres.make(),
      's3-endpoint': `http://127.0.0.1:${storePort}`,
      's3-access-key': 'S3RVER',
      's3-secret-key': 'S3RVER',
      'public-url': `https://localhost:${ports['443']}`,
      'device-names': `localhost:${ports['18443']}`,
    });
    if (nats) config.bus = nats.url;
    else delete config.bus;
    await writeFile(path('moorage.json'), JSON.stringify(config), { mode: 0o600 });

    const words = (await adapted('sh')).trim().split(/\s+/).slice(1);
    const serve = (node: number): Moorage => {
      const args = words.map((word) =>
        word.replace('127.0.0.11', `127.0.0.1${node}`).replace('moorage.json', path('moorage.json')),
      );
      args[args.indexOf('--data') + 1] = path(`data-${node}`);
      const at = ['--port', String(ports['8080']), '--device-port', String(ports['8443']), '--json'];
      return moorage([...args, ...at], { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
    };
    nodes = [serve(1)];
    await eventOf(nodes[0] as Moorage, 'ready');
    nodes.push(serve(2), serve(3));
    await Promise.all(nodes.map((node) => eventOf(node, 'ready')));
    // Nodes and proxy are one machine here: its port of devices is another one.
    const proxied = (await adapted('haproxy')).replace(`bind :${ports['8443']}`, `bind 127.0.0.1:${ports['18443']}`);
    const log = 'global\n  log stdout format raw local0\n';
    await writeFile(
      path('haproxy.cfg'),
      log + proxied.replace('mode http\n', 'mode http\n  log global\n  option httplog\n'),
    );
    proxy = spawn('haproxy', ['-db', '-f', path('haproxy.cfg')], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const output of [proxy.stdout, proxy.stderr])
      output?.setEncoding('utf8').on('data', (text) => proxyLines.push(text));
    api = `https://localhost:${ports['443']}`;
  }, 240_000);

  afterAll(async () => {
    proxy?.kill('SIGKILL');
    // Their last probes of the store end before it does.
    for (const node of nodes) node.process.kill('SIGTERM');
    await Promise.all(nodes.map(({ ended }) => ended));
    killAll();
    await nats?.stop();
    await store?.close();
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  });

  /** Not in step: the store that the nodes ask is of this process. */
  const curl = async (ca: string, ...args: readonly string[]): Promise<string> => {
    const patient = '-sS --retry 100 --retry-delay 1 --retry-max-time 60 --retry-connrefused --max-time 60'.split(' ');
    const child = spawn('curl', [...patient, '--cacert', path(ca), ...args]);
    const said = ['', ''];
    for (const [at, output] of [child.stdout, child.stderr].entries()) {
      output.setEncoding('utf8').on('data', (text: string) => {
        said[at] += text;
      });
    }
    const [status] = await once(child, 'close');
    expect(status, [said[1], ...proxyLines.slice(-30), ...nodes.map((node) => node.errors())].join('\n')).toBe(0);
    return said[0] ?? '';
  };
  const json = ['-H', 'content-type: application/json'];
  const post = async (where: string, body: unknown, ...more: string[]) =>
    JSON.parse(await curl('web-ca.pem', ...json, ...more, '-d', JSON.stringify(body), `${api}${where}`));
  /** A figure of a node, over its port for monitors. */
  const answered = async (node: number): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1${node}:${ports['9090']}/metrics`)).text();
    const counts = text.matchAll(/^moorage_http_request_duration_seconds_count\{listener="api".* (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  test('what is written through the proxy is read through it, whichever node answers, also after one is killed', async () => {
    const { token: bearer } = await post('/api/auth/login', { username: 'admin@localhost', password: 'correct horse' });
    const as = ['-H', `authorization: Bearer ${bearer}`];
    /** Each token is made by one node and tried at the next. */
    const rounds = async () => {
      for (let at = 0; at < 12; at++) {
        const { token } = await post('/api/user/tokens', {}, ...as);
        const own = JSON.parse(await curl('web-ca.pem', '-H', `authorization: Bearer ${token}`, `${api}/api/user`));
        expect(own).toMatchObject({ email: 'admin@localhost' });
      }
    };
    await rounds();
    for (const node of [1, 2, 3]) expect(await answered(node)).toBeGreaterThan(0);
    const ready = await (await fetch(`http://127.0.0.12:${ports['9090']}/readyz`)).json();
    expect(ready).toMatchObject({ bus: { kind: nats ? 'nats' : 'postgres', connected: true } });

    const ca = await curl('web-ca.pem', `${api}/api/ca.pem`);
    await writeFile(path('ca.pem'), ca);
    const info = async () => JSON.parse(await curl('ca.pem', `https://localhost:${ports['18443']}/info`));
    expect(await info()).toMatchObject({ code: 'DEVICE_NOT_IDENTIFIED' });

    nodes[0]?.process.kill('SIGKILL');
    await nodes[0]?.ended;
    await rounds();
    expect(await info()).toMatchObject({ code: 'DEVICE_NOT_IDENTIFIED' });
  }, 300_000);
});
