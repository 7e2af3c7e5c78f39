import { connect, type Socket } from 'node:net';
import { type Client, createClient } from '@moorage/api';
import { databaseSource } from '@moorage/service/testing/index';
import { afterAll, expect, test } from 'vitest';
import { ensureExample } from '../../packages/moorage/src/up/example.ts';
import { eventOf, type Moorage, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const password = 'a long password';
const postgres = databaseSource('postgres', { holds: 'nothing' });

const folder = dataFolder('processes');

afterAll(() => postgres.remove());

const serve = (database?: string): Moorage =>
  moorage(['serve', '--data', folder.path, '--port', '0', '--device-port', '0', '--json'], {
    MOORAGE_ADMIN_EMAIL: 'owner@example.com',
    MOORAGE_ADMIN_PASSWORD: password,
    ...(database !== undefined && { MOORAGE_DATABASE: database }),
  });

async function logIn(baseUrl: string): Promise<Client> {
  const client = createClient({ baseUrl });
  const session = await client.call('auth.login', { body: { username: 'owner@example.com', password } });
  if (!session.ok) throw new Error(session.error.body.message);
  return client.as(session.value.value.token);
}

/** The value of a reply that has to be good. */
async function good<T>(
  reply: Promise<{ ok: true; value: { value: T } } | { ok: false; error: { body: { message: string } } }>,
): Promise<T> {
  const found = await reply;
  if (!found.ok) throw new Error(found.error.body.message);
  return found.value.value;
}

// API-RULE-tag-1
test('two processes on one PostgreSQL are one service', async () => {
  const database = await postgres.make();
  const programs = [serve(database), serve(database)];
  const ready = await Promise.all(programs.map((program) => eventOf(program, 'ready')));
  const clients = await Promise.all(ready.map(({ api }) => logIn(String(api))));
  const [one, two] = clients as [Client, Client];
  const each = <T>(count: number, work: (client: Client, number: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, number) => work(number % 2 === 0 ? one : two, number)));

  // The first run happens once: one administrator, one authority.
  const announced = programs.filter(({ lines }) => lines.some((line) => line.includes('"event":"administrator"')));
  expect(announced).toHaveLength(1);
  const [ours, theirs] = await Promise.all(clients.map((client) => good(client.call('identity.authority'))));
  expect(Buffer.from(ours ?? []).toString()).toBe(Buffer.from(theirs ?? []).toString());

  const { product, bundle } = await ensureExample(one, '2B004189');
  const body = { product_id: product.id, firmware_id: bundle.firmware_id };
  const params = { product_id: product.id };

  // Without a version each gets the next; with one, one of them wins.
  const made = await each(12, (client) => good(client.call('bundles.create', { params, body })));
  expect(new Set(made.map(({ version }) => version)).size).toBe(12);
  const rivals = await each(6, (client) =>
    client.call('bundles.create', { params, body: { ...body, version: '9.0.0.0' } }),
  );
  expect(rivals.filter(({ ok }) => ok)).toHaveLength(1);
  expect(rivals.filter((reply) => !reply.ok && reply.error.status === 409)).toHaveLength(5);

  // The tag ends at exactly one bundle.
  await each(made.length, (client, number) =>
    good(
      client.call('bundles.setState', { params: { bundle_id: made[number]?.id ?? '' }, body: { state: 'published' } }),
    ),
  );
  await each(made.length, (client, number) =>
    good(client.call('bundles.setTag', { params: { bundle_id: made[number]?.id ?? '' }, body: { tag: 'beta' } })),
  );
  const tagged = await good(one.call('bundles.list', { params, query: { tag: 'beta' } }));
  expect(tagged).toHaveLength(1);
  expect((await good(two.call('bundles.byTag', { params: { ...params, tag: 'beta' } }))).id).toBe(tagged[0]?.id);

  // Each device is activated once, whichever process is asked, and both show it at once.
  const uuids = Array.from({ length: 6 }, (_, number) => `2b004189${String(number).padStart(32, '0')}`);
  const devices = await each(uuids.length, (client, number) =>
    good(client.call('devices.provision', { body: { uuid: uuids[number] ?? '', platform_id: product.platform_id } })),
  );
  const activations = await each(devices.length * 2, (client, number) =>
    client.call('devices.activate', {
      params: { device_id: devices[Math.floor(number / 2)]?.id ?? '' },
      body: { product_id: product.id },
    }),
  );
  expect(activations.every((reply) => reply.ok || reply.error.status < 500)).toBe(true);
  for (const { id } of devices) {
    const seen = await Promise.all(
      clients.map((client) => good(client.call('devices.get', { params: { identifier: id } }))),
    );
    expect(seen[0]).toEqual(seen[1]);
  }
  for (const program of programs) program.process.kill('SIGTERM');
  expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([0, 0]);
  const errorLines = programs.flatMap((program) => program.errors().split('\n').filter(Boolean));
  // That a request was slow says something of the machine, not of the two.
  const isExpected = (line: string) => line.startsWith('First run:') || line.includes('"msg":"Slow request"');
  expect(errorLines.filter((line) => !isExpected(line))).toEqual([]);
});

/** Resolves when no server listens there any more. */
async function untilClosed(port: number): Promise<void> {
  for (;;) {
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', () => resolve(true)).once('connect', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (refused) return;
  }
}

const answerOf = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('error', () => {}).on('close', () => resolve(text));
  });

const loginBody = JSON.stringify({ username: 'owner@example.com', password });
const head = `POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${loginBody.length}\r\nexpect: 100-continue\r\n\r\n`;

/** A request of which the service has read the head, and waits for the body. */
async function beginRequest(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.write(head);
  // The service says so itself: it answers 100 when it has the head.
  await new Promise((resolve) => socket.once('data', resolve));
  return socket;
}

test('a request under way at SIGTERM is answered, and new ones are refused', async () => {
  const program = serve();
  const port = Number(new URL(String((await eventOf(program, 'ready')).api)).port);
  const socket = await beginRequest(port);
  const answer = answerOf(socket);
  program.process.kill('SIGTERM');
  await untilClosed(port);
  socket.write(loginBody);
  expect(await answer).toMatch(/^HTTP\/1.1 200 OK\r\n[\s\S]*"result":"ok"/);
  expect(await program.ended).toBe(0);
});

test('a request that never ends does not keep the service from stopping', async () => {
  const program = serve();
  const port = Number(new URL(String((await eventOf(program, 'ready')).api)).port);
  const socket = await beginRequest(port);
  const answer = answerOf(socket);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  expect(await answer).toBe('');
});
