import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@moorage/api';
import { makeAuthority, makeServerCertificate } from '@moorage/service/core/certificates/certificates';
import { NatsServer, natsMissing } from '@moorage/service/testing/nats-server';
import { ObjectStore, objectKeys } from '@moorage/service/testing/object-store';
import { freePort, PostgresServer } from '@moorage/service/testing/postgres-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ensureExample, must } from '../../packages/moorage/src/up/example.ts';
import { hasPrograms, runScript } from '../bash.ts';
import { openDevice } from '../cluster-scene.ts';
import { eventOf, killAll, type Moorage, moorage } from '../command-line.ts';
import { blocksOf } from '../guide.ts';

const guidePorts = ['443', '8443', '8080', '9090', '18443'] as const;
const isThere = hasPrograms('curl', 'bash') && runScript('haproxy -v').status === 0;
const login = { username: 'admin@localhost', password: 'correct horse' };

describe.skipIf(!isThere)('the guide to three nodes (needs curl, bash and haproxy)', () => {
  const nats = natsMissing === '' ? new NatsServer() : undefined;
  let folder: string;
  let postgres: PostgresServer;
  let store: ObjectStore;
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
    store = await ObjectStore.open('moorage');
    postgres = await PostgresServer.create({ durable: false });
    await postgres.start();
    await nats?.start();
    const authority = await makeAuthority(Date.now());
    const { certificate, key } = await makeServerCertificate(authority, ['localhost'], Date.now());
    await writeFile(path('web-ca.pem'), authority.certificate);
    await writeFile(path('hub.pem'), certificate + key);

    const config = JSON.parse(await adapted('json')) as Record<string, unknown>;
    // The services of other machines are where the test has them, and so is the name that people see.
    Object.assign(config, {
      database: postgres.url(),
      's3-endpoint': store.endpoint,
      's3-access-key': objectKeys.accessKey,
      's3-secret-key': objectKeys.secretKey,
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
      return moorage([...args, ...at], { MOORAGE_ADMIN_PASSWORD: login.password });
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
  });

  afterAll(async () => {
    proxy?.kill('SIGKILL');
    // Their last probes of the store end before it does.
    for (const node of nodes) node.process.kill('SIGTERM');
    await Promise.all(nodes.map(({ ended }) => ended));
    killAll();
    await nats?.stop();
    await store?.close();
    await postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  });

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

  const readiness = (node: number) => fetch(`http://127.0.0.1${node}:${ports['9090']}/readyz`);
  /** Longer than the proxy takes to leave out what does not say 200. */
  const outageMs = 10_000;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  test('what is written through the proxy is read through it, whichever node answers, also after one is killed', async () => {
    const { token: bearer } = await post('/api/auth/login', login);
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
    expect(await (await readiness(2)).json()).toMatchObject({
      bus: { kind: nats ? 'nats' : 'postgres', connected: true },
    });

    const ca = await curl('web-ca.pem', `${api}/api/ca.pem`);
    await writeFile(path('ca.pem'), ca);
    const info = async () => JSON.parse(await curl('ca.pem', `https://localhost:${ports['18443']}/info`));
    expect(await info()).toMatchObject({ code: 'DEVICE_NOT_IDENTIFIED' });

    nodes[0]?.process.kill('SIGKILL');
    await nodes[0]?.ended;
    await rounds();
    expect(await info()).toMatchObject({ code: 'DEVICE_NOT_IDENTIFIED' });
  }, 300_000);

  test('a database that stops for a while takes no channel with it', async () => {
    const anonymous = createClient({ baseUrl: `http://127.0.0.12:${ports['8080']}` });
    const client = anonymous.as(must(await anonymous.call('auth.login', { body: login })).token);
    const { product } = await ensureExample(client, '2b004189');
    const { id, device, ends, commands, isOpen } = await openDevice(client, product, Number(ports['18443']));
    try {
      await vi.waitFor(() => expect(isOpen()).toBe(true), { timeout: 20_000 });
      postgres.freeze();
      await pause(outageMs);
      const isReady = await Promise.all([2, 3].map(async (node) => (await readiness(node)).ok));
      postgres.thaw();
      expect(isReady).toEqual([false, false]);
      await vi.waitFor(async () => expect((await readiness(2)).ok).toBe(true), { timeout: 20_000, interval: 200 });
      must(await client.call('channel.command', { params: { device_id: id }, body: { command: 'version' } }));
      expect({ ends, commands }).toEqual({ ends: [], commands: ['version'] });
    } finally {
      postgres.thaw();
      device.stop();
    }
  }, 120_000);

  test('without its store the installation answers all that needs no file', async () => {
    const { token } = await post('/api/auth/login', login);
    await store.close();
    await pause(outageMs);
    for (const node of [2, 3]) expect((await readiness(node)).status).toBe(503);
    const as = ['-H', `authorization: Bearer ${token}`, '--retry', '0'];
    for (let at = 0; at < 6; at++) {
      const own = JSON.parse(await curl('web-ca.pem', ...as, `${api}/api/user`));
      expect(own).toMatchObject({ email: login.username });
    }
  }, 120_000);
});
