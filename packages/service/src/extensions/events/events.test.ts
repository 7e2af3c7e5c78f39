import type { LogRecord } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { lastNumber } from '../../core/logs/queries.ts';
import { topics } from '../../engine/bus/topics.ts';
import { writeLog, writeLogs } from '../../engine/db/logs.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { streamsOfUserLimit } from '../../engine/http/send-events.ts';
import { buildApp, eachDatabase, type MadeUser, type TestApp } from '../../testing/index.ts';
import { acceptAll } from '../../testing/memberships.ts';
import { followLogs } from './events.ts';

type Viewer = Parameters<typeof followLogs>[1];

const follow = async ({ storage, clock }: TestApp, viewer: Viewer) => {
  const received: string[] = [];
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const leftOut: number[] = [];
  const end = followLogs({ storage, clock, onError }, viewer, await lastNumber(storage), {
    log: ({ message }: LogRecord) => void received.push(message),
    leftOut: (count) => void leftOut.push(count),
  });
  return { received, leftOut, errors, end };
};

const viewerOf = ({ id }: MadeUser): Viewer => ({ userId: id, customerId: null, customerRole: 'owner' });

const write = (
  { db }: Storage,
  atMs: number,
  message: string,
  userId: string,
  type: 'user.update' | 'ota.check' = 'user.update',
) => writeLog(db, { type, message, atMs, userId });

// API-EP-GET-events
eachDatabase('events', (open) => {
  /** Lets a second pass, and the look at its end come to an end, too. */
  const second = async ({ clock }: TestApp) => {
    await clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const settle = (condition: () => boolean) => expect.poll(condition, { interval: 5 }).toBe(true);

  it('go on behind the last id that a client has seen', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    const viewer = viewerOf(user);
    const seen: { readonly message: string; readonly floor: number }[] = [];
    const listener = {
      log: ({ message }: LogRecord, floor: number) => void seen.push({ message, floor }),
      leftOut: () => {},
    };
    const deps = { storage: app.storage, clock: app.clock, onError: () => {} };
    const end = followLogs(deps, viewer, await lastNumber(app.storage), listener);
    await write(app.storage, 1, 'first', user.id);
    await second(app);
    await settle(() => seen.length === 1);
    end();
    await write(app.storage, 2, 'meanwhile', user.id);
    const again = followLogs(deps, viewer, seen[0]?.floor ?? 0, listener);
    await second(app);
    await settle(() => seen.some(({ message }) => message === 'meanwhile'));
    again();
  });

  it('show what is written from then on, once, oldest first', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    const now = () => app.clock.now();
    await write(app.storage, now() - 1, 'before', user.id);
    const { received, end } = await follow(app, viewerOf(user));
    await write(app.storage, now(), 'first', user.id);
    await write(app.storage, now() + 1, 'second', user.id);
    await second(app);
    await settle(() => received.length === 2);
    expect(received).toEqual(['first', 'second']);
    await second(app);
    // By a node whose clock is an hour behind.
    await write(app.storage, now() - 3_600_000, 'late', user.id);
    await settle(() => {
      void second(app);
      return received.length > 2;
    });
    expect(received).toEqual(['first', 'second', 'late']);
    end();
  });

  it('show a row that is committed after one with a higher number, and those after the newest were removed', async () => {
    const app = await buildApp(await open());
    const { storage, clock } = app;
    const user = await app.make.user();
    const { received, leftOut, end } = await follow(app, viewerOf(user));
    const begun = Promise.withResolvers<void>();
    const toCommit = Promise.withResolvers<void>();
    const late = storage.transaction(async (trx) => {
      await writeLog(trx, { type: 'user.update', message: 'slow', atMs: clock.now(), userId: user.id });
      begun.resolve();
      await toCommit.promise;
    });
    await begun.promise;
    // SQLite has one writer: there the second waits for the first.
    const other = write(storage, clock.now(), 'quick', user.id);
    if (storage.kind === 'postgres') {
      await other;
      await second(app);
      await settle(() => received.length === 1);
    }
    toCommit.resolve();
    await Promise.all([late, other]);
    await settle(() => {
      void second(app);
      return received.length === 2;
    });
    expect(received.toSorted()).toEqual(['quick', 'slow']);
    await storage.db.deleteFrom('logs').execute();
    await second(app);
    await write(storage, clock.now(), 'anew', user.id);
    await settle(() => {
      void second(app);
      return received.length === 3;
    });
    expect([received.at(-1), leftOut]).toEqual(['anew', []]);
    end();
  });

  it('do not show what others did, or what is quiet; an administrator sees all', async () => {
    const app = await buildApp(await open());
    const [user, other] = [await app.make.user(), await app.make.user()];
    const own = await follow(app, viewerOf(user));
    const all = await follow(app, 'everyone');
    await write(app.storage, app.clock.now(), 'quiet', user.id, 'ota.check');
    await write(app.storage, app.clock.now() + 1, 'of another', other.id);
    await write(app.storage, app.clock.now() + 2, 'own', user.id);
    await second(app);
    await settle(() => all.received.length === 2 && own.received.length === 1);
    expect([own.received, all.received]).toEqual([['own'], ['of another', 'own']]);
    expect([...own.errors, ...all.errors]).toEqual([]);
    own.end();
    all.end();
  });

  it('show every row of many that are written at once', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    const { received, leftOut, end } = await follow(app, viewerOf(user));
    const messages = Array.from({ length: 600 }, (_, number) => `row ${number}`);
    const entry = { type: 'user.update', atMs: app.clock.now(), userId: user.id } as const;
    await writeLogs(
      app.storage.db,
      messages.map((message) => ({ ...entry, message })),
    );
    await second(app);
    await settle(() => received.length === 600);
    expect(new Set(received)).toEqual(new Set(messages));
    expect(leftOut).toEqual([]);
    end();
  });

  it('are kept when there are more than one statement takes, as a change of many devices has', async () => {
    const { storage, clock, make } = await buildApp(await open());
    const { id: userId } = await make.user();
    const rows = 5_000;
    const entry = { type: 'device.tag', message: 'Tagged', atMs: clock.now(), userId } as const;
    await storage.transaction((trx) => writeLogs(trx, Array<typeof entry>(rows).fill(entry)));
    const counted = storage.db.selectFrom('logs').select(({ fn }) => fn.countAll<number>().as('rows'));
    expect(await counted.where('user_id', '=', userId).executeTakeFirst()).toEqual({ rows });
  });

  it('say once how many older rows they leave out when too many are written at once', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    const { received, leftOut, end } = await follow(app, viewerOf(user));
    const atMs = app.clock.now();
    const entry = { type: 'user.update', userId: user.id } as const;
    for (let part = 0; part < 5; part++) {
      const rows = Array.from({ length: 500 }, (_, at) => ({ ...entry, message: String(at), atMs: atMs + part }));
      await writeLogs(app.storage.db, rows);
    }
    await second(app);
    await settle(() => received.length === 2_000);
    expect(leftOut).toEqual([500]);
    await write(app.storage, app.clock.now(), 'last', user.id);
    await settle(() => {
      void second(app);
      return received.length > 2_000;
    });
    expect([received.at(-1), leftOut]).toEqual(['last', [500]]);
    end();
  });

  it('end with who listened', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    const { received, end } = await follow(app, viewerOf(user));
    end();
    await write(app.storage, app.clock.now(), 'unheard', user.id);
    await second(app);
    expect(received).toEqual([]);
  });

  it('come as server-sent events, to callers alone', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    expect((await app.api.inject({ url: '/api/events' })).statusCode).toBe(401);
    const headers = { authorization: `Bearer ${user.token}` };
    const reply = await app.api.inject({ url: '/api/events', headers, payloadAsStream: true });
    expect(reply.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const stream = reply.stream();
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    await write(app.storage, app.clock.now(), 'hello', user.id);
    await second(app);
    await settle(() => /id: \d+\nevent: log\ndata: {/.test(text) && text.includes('"message":"hello"'));
    stream.destroy();
  });

  it('tell of several devices on one stream, of those alone that the caller may read', async () => {
    const app = await buildApp(await open());
    const platform = await app.make.platform();
    const [user, other] = [await app.make.user(), await app.make.user()];
    const deviceOf = ({ id }: MadeUser) =>
      app.make.device({ platform_id: platform.id, product_id: platform.product_id, user_id: id });
    const [own, foreign] = [await deviceOf(user), await deviceOf(other)];
    const reply = await app.api.inject({
      url: `/api/events?devices=${foreign.id},${own.id.toUpperCase()}`,
      headers: { authorization: `Bearer ${user.token}` },
      payloadAsStream: true,
    });
    const stream = reply.stream();
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
    for (const { id } of [foreign, own]) {
      const event = { type: 'online', data: { online: true } } as const;
      app.storage.bus.publish(topics.liveEvent, { deviceId: id, event });
    }
    await settle(() => text.includes('event: device'));
    stream.destroy();
    const [, data = ''] = /event: device\ndata: (.*)\n\n/.exec(text) ?? [];
    expect(JSON.parse(data)).toEqual({ device_id: own.id, type: 'online', data: { online: true } });
    expect(text).not.toContain(foreign.id);
  });

  const listen = async ({ api }: TestApp, { token }: MadeUser) => {
    const headers = { authorization: `Bearer ${token}` };
    const reply = await api.inject({ url: '/api/events', headers, payloadAsStream: true });
    return { statusCode: reply.statusCode, stream: reply.stream().resume() };
  };

  it('come to a user over so many streams of all nodes and no more; each that ends makes room', async () => {
    const app = await buildApp(await open());
    const there = await buildApp(app.storage);
    for (const { api } of [app, there]) await api.listen({ host: '127.0.0.1', port: 0 });
    const [user, other] = [await app.make.user(), await app.make.user()];
    const begin = async ({ token }: MadeUser, { api } = app) => {
      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${token}` };
      const url = `${api.listeningOrigin}/api/events`;
      const reply = await fetch(url, { headers, signal: leaving.signal });
      return { reply, leave: () => leaving.abort() };
    };
    const begun = await Promise.all(Array.from({ length: streamsOfUserLimit }, () => begin(user)));
    expect(new Set(begun.map(({ reply }) => reply.status))).toEqual(new Set([200]));
    for (const at of [app, there]) {
      expect(await (await begin(user, at)).reply.json()).toMatchObject({ statusCode: 409, code: 'LIMIT_REACHED' });
    }
    expect((await begin(other)).reply.status).toBe(200);
    begun[0]?.leave();
    await expect.poll(async () => (await begin(user)).reply.status, { interval: 5 }).toBe(200);
    await app.service.close();
  });

  it('end at once for one who becomes one of the people of a customer', async () => {
    const app = await buildApp(await open());
    const [admin, user] = [await app.make.admin(), await app.make.user()];
    const { stream } = await listen(app, user);
    let hasEnded = false;
    stream.once('end', () => {
      hasEnded = true;
    });
    const body = { name: 'harbour', users: [user.username] };
    unwrap(await app.client.as(admin.token).call('customers.create', { body }));
    await acceptAll(app.client.as(user.token));
    await settle(() => hasEnded);
    expect(hasEnded).toBe(true);
  });

  it('end when the rights of the listener change', async () => {
    const app = await buildApp(await open());
    const [admin, user] = [await app.make.admin(), await app.make.user()];
    const [demoted, untouched] = [await listen(app, admin), await listen(app, user)];
    const ended: string[] = [];
    demoted.stream.once('end', () => ended.push('demoted'));
    untouched.stream.once('end', () => ended.push('untouched'));
    await app.clock.advance(5_000);
    await app.storage.db.updateTable('users').set({ role: 'user' }).where('id', '=', admin.id).execute();
    await app.clock.advance(5_000);
    await settle(() => ended.length > 0);
    expect(ended).toEqual(['demoted']);
    untouched.stream.destroy();
  });
});
