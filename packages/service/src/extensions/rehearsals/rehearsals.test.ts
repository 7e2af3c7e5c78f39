import type { BodyOf, RehearsalReport, rehearsalsContract } from '@moorage/api';
import { failure, type Result, success, unwrap } from '@moorage/base';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { auditedTimes } from '../../testing/audited.ts';
import { outcome } from '../../testing/device-world.ts';
import { eachDatabase } from '../../testing/index.ts';
import { type OtaWorld, otaWorld } from '../../testing/ota-world.ts';
import { sampleReport as report } from '../../testing/rehearsal-report.ts';
import type { RehearsalInput, RehearsalWatch, Rehearser } from './rehearser.ts';

const page = '<!doctype html><title>Rehearsal</title>';

type Outcome = Awaited<ReturnType<Rehearser['rehearse']>>;

/** A rehearsal under way, which the test ends. */
interface Stand {
  readonly input: RehearsalInput;
  readonly watch: RehearsalWatch;
  readonly end: (outcome: Outcome) => void;
}

/** What another turn of the service brings. */
const soon = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 20_000, interval: 10 });

eachDatabase('rehearsals of rollouts', (open) => {
  let world: OtaWorld;
  let stands: Stand[];
  const errors: string[] = [];
  beforeAll(async () => {
    const rehearse: Rehearser['rehearse'] = (input, watch) => {
      const ended = Promise.withResolvers<Outcome>();
      watch.signal.addEventListener('abort', () => ended.resolve(failure('aborted')), { once: true });
      stands.push({ input, watch, end: ended.resolve });
      return ended.promise;
    };
    const mistakeIn: Rehearser['mistakeIn'] = async (scenario) =>
      Object.keys(scenario as object).includes('groups') ? undefined : 'Key "groups" is missing';
    const rehearser = { rehearse, mistakeIn };
    const logStream = { write: (line: string) => void errors.push(line) };
    world = await otaWorld(await open(), { rehearser, logLevel: 'error', logStream });
  });
  beforeEach(() => {
    stands = [];
  });

  const maker = () => world.app.client.as(world.people.maker.token);
  async function drafted() {
    const { product, release, bundleOf } = await world.productWithRelease();
    const { id: bundle_id, version } = await bundleOf(null);
    await world.deviceOn(product.id, { bversion: release.bversion });
    const body = {
      title: 'Spring',
      bundle_id,
      filter: 'version==0.0.0.1',
      settings: { stages: [{ percent: 10 }, {}] },
    };
    const params = { product_id: product.id };
    const { id } = unwrap(await maker().call('rollouts.create', { params, body })).value;
    return { rollout_id: id, version };
  }
  const start = (rollout_id: string, body: BodyOf<(typeof rehearsalsContract)['start']> = {}) =>
    maker().call('rehearsals.start', { params: { rollout_id }, body });
  /** Begins one as soon as the one before it has let go. */
  const begin = (rollout_id: string, body = {}) => soon(async () => unwrap(await start(rollout_id, body)).value);
  const under = (index = 0) => soon(() => stands[index] ?? Promise.reject(new Error('None is under way')));
  const get = async (rollout_id: string, number = 1) =>
    unwrap(await maker().call('rehearsals.get', { params: { rollout_id, number } })).value;
  const ended = (rollout_id: string, number = 1) =>
    soon(async () => {
      const found = await get(rollout_id, number);
      expect(found.state).not.toBe('running');
      return found;
    });
  const rehearsed = async (rollout_id: string, result: Result<{ report: RehearsalReport; page: string }, string>) => {
    const before = stands.length;
    const { number } = await begin(rollout_id);
    (await under(before)).end(result);
    return ended(rollout_id, number);
  };

  // API-EP-POST-rollouts-rollout_id-rehearsals, API-EP-GET-rollouts-rollout_id-rehearsals-number
  it('one is begun with the rollout, the files of its bundle and the shape of its fleet, and has its report', async () => {
    const { rollout_id, version } = await drafted();
    const begun = await begin(rollout_id, { devices: 7, seeds: 2, scenario: { groups: [] } });
    expect(begun).toMatchObject({ number: 1, state: 'running', percent: 0, devices: 7, seeds: 2, finished_at: null });
    const { end, input, watch } = await under();
    expect(input).toMatchObject({
      rollout: {
        title: 'Spring',
        priority: 0,
        filter: 'version==0.0.0.1',
        settings: { stages: [{ percent: 10 }, {}] },
      },
      version,
      shape: { devices: 0, filter: 'version==0.0.0.1' },
      scenario: { groups: [] },
      compare: false,
    });
    const files = input.files.map(({ bytes, filename }) => [filename, Buffer.from(bytes).toString()]).sort();
    expect(files).toEqual([
      ['conf.json', '{}'],
      ['web/a page.html', '0123456789'],
    ]);
    watch.onPercent(40);
    await soon(async () => expect(await get(rollout_id)).toMatchObject({ state: 'running', percent: 40 }));
    end(success({ report, page }));
    expect(await ended(rollout_id)).toMatchObject({ state: 'done', reason: null, percent: 100, report });
    // API-RULE-audit-1
    expect(await auditedTimes(world.app.storage, 'rehearsals.start', world.people.maker)).toBe(1);
  });

  // API-EP-GET-rollouts-rollout_id-rehearsals-number-page
  it('its page runs nothing in a browser', async () => {
    const { rollout_id } = await drafted();
    await rehearsed(rollout_id, success({ report, page }));
    const reply = await world.app.api.inject({
      url: `/api/rollouts/${rollout_id}/rehearsals/1/page`,
      headers: { authorization: `Bearer ${world.people.maker.token}` },
    });
    expect(reply.payload).toBe(page);
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(reply.headers['content-security-policy']).toMatch(/^default-src 'none';.*; sandbox$/);
  });

  it('a wrong scenario is refused with the place, and keeps nobody waiting', async () => {
    const { rollout_id } = await drafted();
    expect(await start(rollout_id, { scenario: {} })).toMatchObject({
      error: {
        status: 400,
        body: {
          code: 'INVALID_REQUEST',
          message: 'Field "scenario" of the body is wrong: Key "groups" is missing',
          validation: { source: 'body', keys: ['scenario'] },
        },
      },
    });
    await rehearsed(rollout_id, failure('x'));
  });

  it('one that fails says why, and has no page', async () => {
    const { rollout_id } = await drafted();
    const failed = await rehearsed(rollout_id, failure('No device runs anything else'));
    expect(failed).toMatchObject({ state: 'failed', reason: 'No device runs anything else', report: null });
    const found = await maker().call('rehearsals.page', { params: { rollout_id, number: 1 } });
    expect(outcome(found)).toBe('NOT_FOUND');
  });

  // API-LIMIT-rehearsals
  it('one runs at a time', async () => {
    const [one, other] = [await drafted(), await drafted()];
    await begin(one.rollout_id);
    const refused = await start(other.rollout_id);
    expect(refused).toMatchObject({ error: { status: 503, body: { code: 'BUSY' } } });
    (await under()).end(success({ report, page }));
    await ended(one.rollout_id);
    await begin(other.rollout_id);
    (await under(1)).end(success({ report, page }));
    await ended(other.rollout_id);
  });

  // API-LIMIT-rehearsals
  it('who was refused first is the next one, for as long as they keep asking', async () => {
    const { rollout_id } = await drafted();
    const { clock } = world.app;
    const { product_id } = await world.app.storage.db
      .selectFrom('rollouts')
      .select('product_id')
      .where('id', '=', rollout_id)
      .executeTakeFirstOrThrow();
    const { stranger } = world.people;
    await world.app.make.member(product_id, stranger.id, 'manager');
    const other = world.app.client.as(stranger.token);
    const asks = () => other.call('rehearsals.start', { params: { rollout_id }, body: {} });
    const busy = { error: { status: 503, body: { code: 'BUSY' } } };
    const finish = async (number: number) => {
      (await under(number - 1)).end(failure('x'));
      await ended(rollout_id, number);
      await soon(async () => {
        const work = await world.app.storage.db.selectFrom('work').select('holder').where('name', '=', 'rehearsal');
        expect(await work.executeTakeFirstOrThrow()).toEqual({ holder: null });
      });
    };
    await begin(rollout_id);
    expect(await asks()).toMatchObject(busy);
    // Who has just had one asks as well, and is behind.
    await clock.advance(1_000);
    expect(await start(rollout_id)).toMatchObject(busy);
    await finish(1);
    expect(await start(rollout_id)).toMatchObject(busy);
    unwrap(await asks());
    await finish(2);
    // Both wait, and one of them does not come back.
    unwrap(await start(rollout_id));
    expect(await asks()).toMatchObject(busy);
    await finish(3);
    await clock.advance(1_000);
    expect(await start(rollout_id)).toMatchObject(busy);
    await clock.advance(61_000);
    expect(await start(rollout_id)).toMatchObject(busy);
    await clock.advance(60_000);
    unwrap(await start(rollout_id));
    await finish(4);
  });

  // API-LIMIT-rehearsals, API-EP-GET-rollouts-rollout_id-rehearsals
  it('the newest ten of a rollout are kept', async () => {
    const { rollout_id } = await drafted();
    for (let made = 0; made < 11; made++) {
      await begin(rollout_id);
      (await under(made)).end(failure('x'));
      await ended(rollout_id, made + 1);
    }
    const kept = unwrap(await maker().call('rehearsals.list', { params: { rollout_id } })).value;
    expect(kept.map(({ number }) => number)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  });

  // API-EP-DELETE-rollouts-rollout_id-rehearsals-number
  it('one that runs ends when it is removed, in whatever process it runs', async () => {
    const { rollout_id } = await drafted();
    const remove = () => maker().call('rehearsals.remove', { params: { rollout_id, number: 1 } });
    await begin(rollout_id);
    const here = await under();
    unwrap(await remove());
    expect(here.watch.signal.aborted).toBe(true);
    expect(outcome(await remove())).toBe('NOT_FOUND');
    await begin(rollout_id);
    const elsewhere = await under(1);
    // As another process does it.
    await world.app.storage.db.deleteFrom('rehearsals').where('rollout_id', '=', rollout_id).execute();
    elsewhere.watch.onPercent(10);
    await soon(() => expect(elsewhere.watch.signal.aborted).toBe(true));
  });

  it('one that ends while the database is away is recorded when that is back, and keeps nobody waiting', async () => {
    const { rollout_id } = await drafted();
    const { db } = world.app.storage;
    await begin(rollout_id);
    const { end } = await under();
    await sql`alter table rehearsals rename to rehearsals_away`.execute(db);
    end(success({ report, page }));
    await soon(() => expect(errors.join()).toContain('The end of a rehearsal could not be recorded'));
    await sql`alter table rehearsals_away rename to rehearsals`.execute(db);
    expect(await get(rollout_id)).toMatchObject({ state: 'running' });
    await soon(async () => {
      await world.app.clock.advance(1_000);
      expect(await get(rollout_id)).toMatchObject({ state: 'done' });
    });
    await begin(rollout_id);
    (await under(1)).end(failure('x'));
    await ended(rollout_id, 2);
  });

  it('one whose process is gone has failed, and another may begin', async () => {
    const { rollout_id } = await drafted();
    const { db } = world.app.storage;
    await begin(rollout_id);
    const { end } = await under();
    // The process that holds it was killed, and others have removed its sign of life.
    const { holder } = await db
      .selectFrom('work')
      .selectAll()
      .where('name', '=', 'rehearsal')
      .executeTakeFirstOrThrow();
    await db.updateTable('work').set({ holder: 'gone' }).where('name', '=', 'rehearsal').execute();
    expect(await get(rollout_id)).toMatchObject({ state: 'failed', reason: 'The service ended while it ran' });
    expect(holder).not.toBe('gone');
    await begin(rollout_id);
    const next = await under(1);
    end(success({ report, page }));
    next.end(success({ report, page }));
    expect(await ended(rollout_id, 2)).toMatchObject({ state: 'done' });
    expect(await get(rollout_id)).toMatchObject({ state: 'failed', report: null });
  });
});

eachDatabase('a service that rehearses nothing', (open) => {
  it('says so', async () => {
    const world = await otaWorld(await open());
    const { product, release } = await world.productWithRelease();
    const maker = world.app.client.as(world.people.maker.token);
    const body = { title: 'Spring', bundle_id: release.id, template: 'careful' } as const;
    const params = { product_id: product.id };
    const { id: rollout_id } = unwrap(await maker.call('rollouts.create', { params, body })).value;
    const call = maker.call('rehearsals.start', { params: { rollout_id }, body: {} });
    expect(outcome(await call)).toBe('NO_REHEARSALS');
  });

  it('ends one that runs when it stops', async () => {
    const storage = await open();
    let signal: AbortSignal | undefined;
    const rehearser: Rehearser = {
      mistakeIn: async () => undefined,
      rehearse(_input, watch) {
        signal = watch.signal;
        return new Promise((resolve) => {
          watch.signal.addEventListener('abort', () => resolve(failure('aborted')), { once: true });
        });
      },
    };
    const world = await otaWorld(storage, { rehearser });
    const { product, release } = await world.productWithRelease();
    const maker = world.app.client.as(world.people.maker.token);
    const body = { title: 'Spring', bundle_id: release.id, template: 'careful' } as const;
    const params = { product_id: product.id };
    const { id: rollout_id } = unwrap(await maker.call('rollouts.create', { params, body })).value;
    unwrap(await maker.call('rehearsals.start', { params: { rollout_id }, body: {} }));
    await soon(() => expect(signal).toBeDefined());
    await world.app.service.close();
    expect(signal?.aborted).toBe(true);
    const { state } = await storage.db.selectFrom('rehearsals').select('state').executeTakeFirstOrThrow();
    expect(state).toBe('failed');
  });
});
