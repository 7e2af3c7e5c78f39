import { dayMs, unwrap } from '@moorage/base';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Storage } from '../../engine/db/storage.ts';
import { auditWorld } from '../../testing/audited.ts';
import { buildApp, eachDatabase, type TestApp } from '../../testing/index.ts';
import { maintainAudit } from './keeper.ts';
import { seal } from './queries.ts';

const verify = async (app: TestApp, token: string, query = {}) =>
  unwrap(await app.client.as(token).call('audit.verify', { query })).value;

/** What somebody with access to the database may try, once the guard is gone, and what is said of it. */
const attempts: readonly (readonly [
  name: string,
  seq: number,
  text: RegExp,
  run: (storage: Storage) => Promise<unknown>,
])[] = [
  [
    'alters a row',
    2,
    /Row 2 was altered/,
    ({ db }) => db.updateTable('audit').set({ user: 'mallory' }).where('seq', '=', 2).execute(),
  ],
  ['removes a row', 2, /Row 2 is missing/, ({ db }) => db.deleteFrom('audit').where('seq', '=', 2).execute()],
  ['removes the first row', 1, /Row 1 is missing/, ({ db }) => db.deleteFrom('audit').where('seq', '=', 1).execute()],
  ['removes the last row', 4, /Row 4 is missing/, ({ db }) => db.deleteFrom('audit').where('seq', '=', 4).execute()],
  [
    'moves rows',
    2,
    /Row 2 does not follow the row before it/,
    async ({ db }) => {
      for (const [from, to] of [
        [2, 99],
        [3, 2],
        [99, 3],
      ] as const) {
        await db.updateTable('audit').set({ seq: to }).where('seq', '=', from).execute();
      }
    },
  ],
  [
    'adds a row in place of another',
    3,
    /Row 3 was altered/,
    async ({ db }) => {
      const row = await db.selectFrom('audit').selectAll().where('seq', '=', 3).executeTakeFirstOrThrow();
      await db.deleteFrom('audit').where('seq', '=', 3).execute();
      await db
        .insertInto('audit')
        .values({ ...row, action: 'forged' })
        .execute();
    },
  ],
];

/** What somebody who owns the database can do first. */
async function dropGuards({ db, kind }: Storage): Promise<void> {
  const names = ['audit_keeps_rows', kind === 'sqlite' ? 'audit_keeps_chain' : 'audit_keeps_all'];
  for (const name of names)
    await sql`drop trigger ${sql.id(name)} ${kind === 'sqlite' ? sql`` : sql`on audit`}`.execute(db);
}

// API-RULE-audit-2
eachDatabase('the chain of the audit', (open) => {
  const fourChanges = async () => {
    const made = await auditWorld(await open());
    for (const title of ['a', 'b', 'c', 'd']) unwrap(await made.as.call('tokens.create', { body: { title } }));
    const whole = await verify(made.app, made.admin.token);
    expect(whole).toMatchObject({ ok: true, rows: 4, first_seq: 1, last_seq: 4, problem: null });
    return { ...made, whole };
  };

  it.each(attempts)('is found broken when somebody %s', async (_, seq, text, run) => {
    const { app, admin } = await fourChanges();
    await dropGuards(app.storage);
    await run(app.storage);
    expect(await verify(app, admin.token)).toMatchObject({
      ok: false,
      problem: { seq, text: expect.stringMatching(text) },
    });
    await app.service.close();
  });

  it('that was made anew as a whole is found by a hash that was noted', async () => {
    const { app, admin, whole } = await fourChanges();
    const { storage } = app;
    const noted = { seq: whole.last_seq, hash: whole.hash };
    expect(await verify(app, admin.token, noted)).toMatchObject({ ok: true });
    await dropGuards(storage);
    const rows = await storage.db.selectFrom('audit').selectAll().orderBy('seq').execute();
    await storage.db.deleteFrom('audit').execute();
    await storage.db.deleteFrom('audit_chain').execute();
    const queued = rows.map(({ seq: _, previous: _p, hash: _h, ...row }) => ({
      ...row,
      user: 'mallory',
    }));
    await storage.db.insertInto('audit_queue').values(queued).execute();
    expect(await verify(app, admin.token)).toMatchObject({ ok: true, rows: 4 });
    const problem = { seq: 4, text: 'Row 4 is not the one whose hash was noted' };
    expect(await verify(app, admin.token, noted)).toMatchObject({ ok: false, problem });
    const later = { seq: 9, hash: whole.hash };
    expect(await verify(app, admin.token, later)).toMatchObject({ ok: false, problem: { seq: 5 } });
    // Nor does it help to say that retention has let it go.
    const chain = await storage.db.selectFrom('audit_chain').selectAll().executeTakeFirstOrThrow();
    const cut = { dropped_seq: chain.seq, dropped_hash: chain.hash };
    await storage.db.updateTable('audit_chain').set(cut).execute();
    await storage.db.deleteFrom('audit').execute();
    const empty = { seq: 5, text: 'There are no rows, though a sign-in leaves one' };
    expect(await verify(app, admin.token)).toMatchObject({ ok: false, rows: 0, problem: empty });
    expect(await verify(app, admin.token, noted)).toMatchObject({ ok: false, problem });
    const gone = { seq: 3, text: 'Row 3, whose hash was noted, is not kept any more' };
    expect(await verify(app, admin.token, { ...noted, seq: 3 })).toMatchObject({ ok: false, problem: gone });
    await app.service.close();
  });

  /** Removes rows up to one, and says that they were let go by age. */
  const letGo = async ({ db }: Storage, upTo: number) => {
    const last = await db.selectFrom('audit').selectAll().where('seq', '=', upTo).executeTakeFirstOrThrow();
    const chain = { dropped_seq: last.seq, dropped_hash: last.hash };
    await db.updateTable('audit_chain').set(chain).execute();
    await db.deleteFrom('audit').where('seq', '<=', upTo).execute();
  };

  it('does not begin with a row that is younger than rows are kept', async () => {
    const { app, admin, whole } = await fourChanges();
    const noted = { seq: whole.last_seq, hash: whole.hash };
    await letGo(app.storage, 2);
    const text =
      'Rows before row 3 went too early: rows are kept for 730 days, and row 3 is younger; or they were kept for less time then';
    for (const query of [{}, noted]) {
      expect(await verify(app, admin.token, query)).toMatchObject({ ok: false, problem: { seq: 3, text } });
    }
    const forGood = expect.stringContaining('rows are kept for good');
    expect(await verify(app, admin.token, { days: 0 })).toMatchObject({ ok: false, problem: { text: forGood } });
    // An older time in the row would be another hash.
    await app.clock.skip(2 * dayMs);
    expect(await verify(app, admin.token, { days: 1 })).toMatchObject({ ok: true, first_seq: 3 });
    await dropGuards(app.storage);
    await app.storage.db.updateTable('audit').set({ at: 1 }).where('seq', '=', 3).execute();
    expect(await verify(app, admin.token)).toMatchObject({ ok: false, problem: { text: 'Row 3 was altered' } });
    await app.service.close();
  });

  it('of which an earlier release let all old rows go is whole once the oldest is old, and before for who says so', async () => {
    const { app, admin, as } = await fourChanges();
    await app.clock.skip(10 * dayMs);
    await letGo(app.storage, 2);
    expect(await verify(app, admin.token, { days: 9 })).toMatchObject({ ok: true, first_seq: 3 });
    expect(await verify(app, admin.token)).toMatchObject({ ok: false, problem: { seq: 3 } });
    await app.clock.skip(721 * dayMs);
    expect(await verify(app, admin.token)).toMatchObject({ ok: true });
    await maintainAudit(app.service.deps);
    unwrap(await as.call('tokens.create', { body: { title: 'e' } }));
    expect(await verify(app, admin.token)).toMatchObject({ ok: true, first_seq: 4, last_seq: 5 });
    await app.service.close();
  });

  it('without its head is found broken, and gets no other', async () => {
    const { app, admin, as } = await fourChanges();
    await app.storage.db.deleteFrom('audit_chain').execute();
    unwrap(await as.call('tokens.create', { body: { title: 'e' } }));
    const problem = { seq: 1, text: 'The record of where the chain begins and ends is missing' };
    expect(await verify(app, admin.token)).toMatchObject({ ok: false, problem });
    expect(unwrap(await app.client.as(admin.token).call('audit.list')).value).toHaveLength(4);
    await app.service.close();
  });

  it('has a row as soon as somebody has signed in', async () => {
    const { app, admin } = await auditWorld(await open());
    const problem = { seq: 1, text: 'There are no rows, though a sign-in leaves one' };
    expect(await verify(app, admin.token)).toMatchObject({ ok: false, rows: 0, problem });
    await app.service.close();
  });

  it('is only added to, says the database', async () => {
    const { app } = await fourChanges();
    const { db, kind } = app.storage;
    const refused = expect.objectContaining({ message: expect.stringContaining('The audit is only added to') });
    await expect(db.updateTable('audit').set({ user: 'mallory' }).execute()).rejects.toEqual(refused);
    await expect(db.deleteFrom('audit').where('seq', '=', 1).execute()).rejects.toEqual(refused);
    if (kind === 'postgres') await expect(sql`truncate audit`.execute(db)).rejects.toEqual(refused);
    await app.service.close();
  });

  // API-RULE-audit-3
  it('begins later once old rows have gone, and is whole', async () => {
    const { app, admin, as } = await fourChanges();
    await app.clock.skip(10 * dayMs);
    unwrap(await as.call('tokens.create', { body: { title: 'e' } }));
    const deps = { ...app.service.deps, settings: { ...app.service.deps.settings, auditDays: 9 } };
    await maintainAudit({ ...deps, settings: { ...deps.settings, auditDays: 0 } });
    const begun = { ok: true, first_seq: 1, last_seq: 5 };
    expect(await verify(app, admin.token, { days: 9 })).toMatchObject(begun);
    await maintainAudit(deps);
    // One of the old ones stays, and shows that they were old.
    const later = { ok: true, rows: 2, first_seq: 4, last_seq: 5 };
    expect(await verify(app, admin.token, { days: 9 })).toMatchObject(later);
    await maintainAudit(deps);
    unwrap(await as.call('tokens.create', { body: { title: 'f' } }));
    expect(await verify(app, admin.token, { days: 9 })).toMatchObject({ ...later, rows: 3, last_seq: 6 });
    await app.clock.skip(10 * dayMs);
    await maintainAudit(deps);
    expect(await verify(app, admin.token, { days: 9 })).toMatchObject({ ok: true, first_seq: 6, last_seq: 6 });
    await app.service.close();
  });

  it('is one chain of several nodes that change and seal at once', async () => {
    const storage = await open();
    const nodes = [await buildApp(storage), await buildApp(storage)];
    const [one] = nodes;
    const admin = await (one as TestApp).make.admin();
    const titles = Array.from({ length: 40 }, (_, at) => String(at));
    const make = (title: string, at: number) =>
      nodes[at % 2]?.client.as(admin.token).call('tokens.create', { body: { title } });
    const [made] = await Promise.all([Promise.all(titles.map(make)), seal(storage), seal(storage)]);
    expect(made.filter((reply) => reply?.ok)).toHaveLength(40);
    const result = await verify(one as TestApp, admin.token);
    expect(result).toMatchObject({ ok: true, rows: 40, first_seq: 1, last_seq: 40 });
    for (const node of nodes) await node.service.close();
  });

  it('gets changes a second after they were made', async () => {
    const { app, as } = await auditWorld(await open());
    unwrap(await as.call('tokens.create', { body: { title: 'x' } }));
    const count = async () => (await app.storage.db.selectFrom('audit').select('seq').execute()).length;
    expect(await count()).toBe(0);
    await app.clock.advance(1_000);
    await app.service.close();
    expect(await count()).toBe(1);
  });
});
