import { randomUUID } from 'node:crypto';
import { failure, VirtualClock } from '@moorage/base';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { eachEmptyDatabase, type Fixtures, fixtures } from '../../testing/index.ts';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import { hashSecret } from '../secrets.ts';
import { isForeignKeyViolation, isUniqueViolation } from './errors.ts';
import type { Storage } from './storage.ts';
import { afterCommit } from './transaction.ts';

eachEmptyDatabase('storage', (open, kind, address) => {
  let storage: Storage;
  let make: Fixtures;

  beforeAll(async () => {
    storage = await open();
    const clock = new VirtualClock(1000);
    make = fixtures({ storage, blobs: memoryBlobs(clock), clock });
  });

  const setting = async (name: string) =>
    (await storage.db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value;

  const put = (name: string, value: string) => storage.db.insertInto('settings').values({ name, value }).execute();

  it('keeps numbers as numbers: times, counts and sums', async () => {
    const user = await make.user({ created_at: 1_700_000_000_123 });
    const row = await storage.db
      .selectFrom('users')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number>('created_at').as('sum')])
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ count: 1, sum: 1_700_000_000_123 });
    expect(user.created_at).toBe(1_700_000_000_123);
  });

  it('refuses a value of another type', async () => {
    const values = { name: 'typed', value: 'x', created_at: 'x' };
    await expect(
      // A mistake of a programmer that the types would catch.
      storage.db
        .insertInto('blobs')
        .values({ sha256: 'typed', size: 'many' as never, created_at: 1 })
        .execute(),
    ).rejects.toThrow();
    expect(values.name).toBe('typed');
  });

  it('keeps a transaction that returns and forgets one that throws', async () => {
    await storage.transaction(async (trx) => {
      await trx.insertInto('settings').values({ name: 'kept', value: '1' }).execute();
    });
    const broken = storage.transaction(async (trx) => {
      await trx.insertInto('settings').values({ name: 'lost', value: '1' }).execute();
      throw new Error('No');
    });
    await expect(broken).rejects.toThrow('No');
    expect([await setting('kept'), await setting('lost')]).toEqual(['1', undefined]);
  });

  it('forgets a transaction that returns a failure, and goes on', async () => {
    const refused = await storage.transaction(async (trx) => {
      await trx.insertInto('settings').values({ name: 'refused', value: '1' }).execute();
      return failure('No');
    });
    expect([refused, await setting('refused')]).toEqual([failure('No'), undefined]);
    await storage.transaction((trx) => trx.insertInto('settings').values({ name: 'refused', value: '2' }).execute());
    expect(await setting('refused')).toBe('2');
  });

  it('calls what waits for the commit after it, and never after a rollback', async () => {
    const seen: string[] = [];
    const ending = (how: () => unknown) =>
      storage.transaction(async (trx) => {
        afterCommit(trx, () => seen.push('committed'));
        await trx.insertInto('settings').values({ name: randomUUID(), value: '1' }).execute();
        seen.push('worked');
        return how();
      });
    await ending(() => failure('No'));
    await expect(
      ending(() => {
        throw new Error('No');
      }),
    ).rejects.toThrow('No');
    expect(seen).toEqual(['worked', 'worked']);
    await ending(() => 'done');
    expect(seen).toEqual(['worked', 'worked', 'worked', 'committed']);
    expect(() => afterCommit(storage.db, () => {})).toThrow('Only a transaction');
  });

  it('goes on after a statement failed in a transaction', async () => {
    await put('twice', '1');
    const twice = storage.transaction((trx) =>
      trx.insertInto('settings').values({ name: 'twice', value: '2' }).execute(),
    );
    await expect(twice).rejects.toThrow();
    expect(await setting('twice')).toBe('1');
  });

  it('does not show others what is not committed', async () => {
    await storage.transaction(async (trx) => {
      await trx.insertInto('settings').values({ name: 'private', value: '1' }).execute();
      expect(await setting('private')).toBeUndefined();
    });
    expect(await setting('private')).toBe('1');
  });

  it('runs transactions that read and write the same row as if one after the other', async () => {
    await put('counter', '0');
    const increment = () =>
      storage.transaction(async (trx) => {
        const { value } = await trx
          .selectFrom('settings')
          .select('value')
          .where('name', '=', 'counter')
          .executeTakeFirstOrThrow();
        const next = String(Number(value) + 1);
        await trx.updateTable('settings').set({ value: next }).where('name', '=', 'counter').execute();
      });
    await Promise.all(Array.from({ length: 12 }, increment));
    expect(await setting('counter')).toBe('12');
  });

  it('knows a doubled row for one', async () => {
    const user = await make.user();
    const again = await make.user({ email: user.email }).catch((error: unknown) => error);
    expect(isUniqueViolation(again)).toBe(true);
    expect(isForeignKeyViolation(again)).toBe(false);
  });

  it('tells other failures from doubled rows', async () => {
    const orphan = await make.device({ platform_id: 'none', product_id: 'none' }).catch((error: unknown) => error);
    expect(isForeignKeyViolation(orphan)).toBe(true);
    expect(isUniqueViolation(orphan)).toBe(false);
    expect(isUniqueViolation(new Error('unique'))).toBe(false);
  });

  // API-RULE-tag-1, API-RULE-bundle-2: the indexes behind the rules.
  it('keeps a version and a tag of a product unique, and any number of bundles without tag', async () => {
    const platform = await make.platform();
    const user = await make.user();
    const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const [one, two] = [
      await make.product({ platform_id: platform.id }),
      await make.product({ platform_id: platform.id }),
    ];
    const bundle = (product_id: string, version: string, tag: 'beta' | null) =>
      make.bundle({ product_id, firmware_id: firmware.id, user_id: user.id, version, tag });
    await bundle(one.id, '1.0.0.0', 'beta');
    await bundle(one.id, '1.0.0.1', null);
    await bundle(one.id, '1.0.0.2', null);
    await bundle(two.id, '1.0.0.0', 'beta');
    const doubled = [
      ['1.0.0.0', null],
      ['1.0.0.3', 'beta'],
    ] as const;
    for (const [version, tag] of doubled) {
      const refused = await bundle(one.id, version, tag).catch((error: unknown) => error);
      expect(isUniqueViolation(refused)).toBe(true);
    }
  });

  it.each([
    ['alpha beta', 'BETA', true],
    ['Alpha Beta', 'a b', true],
    ['100%', '%', true],
    ['1000', '0%', false],
    ['a_b', '_', true],
    ['ab', '_', false],
    ["it's", "'", true],
    ['', 'a', false],
    ['Übergröße', 'Ü', true],
    ['Übergröße', 'übergr', true],
    ['übergröße', 'ÜBERG', true],
    ['СКЛАД', 'склад', true],
    ['Äpfel', 'ü', false],
  ])('finds in "%s" the text "%s": %j', async (value, part, found) => {
    const name = randomUUID();
    await put(name, value);
    const rows = await storage.db
      .selectFrom('settings')
      .select('name')
      .where('name', '=', name)
      .where(({ ref }) => storage.expressions.contains(ref('value'), part))
      .execute();
    expect(rows.length === 1).toBe(found);
  });

  it('locks rows in a transaction', async () => {
    await put('locked', '1');
    const rows = await storage.transaction((trx) =>
      storage.expressions.lockRows(trx.selectFrom('settings').selectAll().where('name', '=', 'locked')).execute(),
    );
    expect(rows.length).toBe(1);
  });

  it('counts updates up and never gives a number out twice', async () => {
    const platform = await make.platform();
    const device = await make.device({ platform_id: platform.id, product_id: platform.edition.id });
    const add = async () =>
      (
        await storage.db
          .insertInto('updates')
          .values({
            device_id: device.id,
            product_id: platform.edition.id,
            cause: 'device',
            to_version: '1.0.0.0',
            to_bversion: 'x',
            state: 'offered',
            created_at: 1,
          } as never)
          .returning('id')
          .executeTakeFirstOrThrow()
      ).id;
    const first = await add();
    await storage.db.deleteFrom('updates').execute();
    expect(await add()).toBeGreaterThan(first);
  });

  describe('hot paths', () => {
    it('find the caller of a token', async () => {
      const user = await make.user({ role: 'admin' });
      expect(await storage.hot.callerByTokenHash(hashSecret(user.token))).toMatchObject({
        user_id: user.id,
        username: user.username,
        role: 'admin',
        client: null,
        last_used_at: null,
      });
      expect(await storage.hot.callerByTokenHash(hashSecret('other'))).toBeUndefined();
    });

    it('find a device as the query builder does', async () => {
      const platform = await make.platform();
      const device = await make.device({ platform_id: platform.id, product_id: platform.edition.id });
      expect(await storage.hot.deviceById(device.id)).toEqual(device);
      expect(await storage.hot.deviceByUuid(device.uuid)).toEqual(device);
      expect(await storage.hot.deviceById(device.uuid)).toBeUndefined();
      expect(await storage.hot.deviceByUuid(device.id)).toBeUndefined();
    });

    it('record when devices were seen, many at once, the newest time of each', async () => {
      const platform = await make.platform();
      const devices = [];
      for (let number = 0; number < 5; number++) {
        devices.push(await make.device({ platform_id: platform.id, product_id: platform.edition.id, ip: '10.0.0.1' }));
      }
      const touches = devices.flatMap(({ id }, number) => [
        storage.hot.touchDevice(id, 200 + number, '10.0.0.2'),
        storage.hot.touchDevice(id, 100, null),
      ]);
      await Promise.all([...touches, storage.hot.touchDevice('gone', 1, null)]);
      for (const [number, { id }] of devices.entries()) {
        expect(await storage.hot.deviceById(id)).toMatchObject({ last_seen_at: 200 + number, ip: '10.0.0.2' });
      }
    });

    it('keep an address when none is known', async () => {
      const platform = await make.platform();
      const { id } = await make.device({ platform_id: platform.id, product_id: platform.edition.id, ip: '10.0.0.1' });
      await storage.hot.touchDevice(id, 7, null);
      expect(await storage.hot.deviceById(id)).toMatchObject({ last_seen_at: 7, ip: '10.0.0.1' });
    });

    it('wait for a transaction that is open, and then are recorded', async () => {
      const platform = await make.platform();
      const { id } = await make.device({ platform_id: platform.id, product_id: platform.edition.id });
      let touched: Promise<void> | undefined;
      await storage.transaction(async (trx) => {
        await trx.updateTable('devices').set({ title: 'New' }).where('id', '=', id).execute();
        touched = storage.hot.touchDevice(id, 9, null);
        // Reads go on meanwhile.
        expect(await storage.hot.deviceById(id)).toBeDefined();
      });
      await touched;
      expect(await storage.hot.deviceById(id)).toMatchObject({ title: 'New', last_seen_at: 9 });
    });

    it('record when a token was used', async () => {
      const user = await make.user();
      const hash = hashSecret(user.token);
      const owner = await storage.hot.callerByTokenHash(hash);
      await storage.hot.touchToken(owner?.token_id ?? '', 77, '192.0.2.7');
      expect(await storage.hot.callerByTokenHash(hash)).toMatchObject({ last_used_at: 77 });
    });
  });

  it('is brought up to date once when several open it together', async () => {
    const place = kind === 'sqlite' ? `${await address()}.new` : await address();
    const opened = await Promise.all([1, 2, 3].map(() => openRecords(place)));
    for (const one of opened) expect(await one.db.selectFrom('users').selectAll().execute()).toEqual([]);
    await Promise.all(opened.map((one) => one.close()));
  });

  it('is not opened when a newer version has been there, and says so', async () => {
    const place = await address();
    const first = await openRecords(place);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2030-01-01')`.execute(first.db);
    await first.close();
    await expect(openRecords(place)).rejects.toMatchObject({
      message: 'The tables are of a newer version, which has run migration 9999-later',
      code: 'ENEWERTABLES',
    });
  });

  it('keeps its rows when it is opened again', async () => {
    const place = await address();
    const first = await openRecords(place);
    await first.db.insertInto('settings').values({ name: 'a', value: 'b' }).execute();
    await first.close();
    const second = await openRecords(place);
    expect(await second.db.selectFrom('settings').selectAll().execute()).toEqual([{ name: 'a', value: 'b' }]);
    await second.close();
  });
});

describe('openRecords', () => {
  it.each(['', 'sqlite:', 'mysql://x', 'moorage.db'])('refuses the address "%s"', async (address) => {
    await expect(openRecords(address)).rejects.toThrow(`Database "${address}" is neither`);
  });

  it('opens a database in memory, whose reads wait for its transactions', async () => {
    const storage = await openRecords('sqlite::memory:');
    let outside: Promise<unknown[]> | undefined;
    await storage.transaction(async (trx) => {
      await trx.insertInto('settings').values({ name: 'a', value: 'b' }).execute();
      outside = storage.db.selectFrom('settings').selectAll().execute();
    });
    expect(await outside).toEqual([{ name: 'a', value: 'b' }]);
    await storage.close();
  });
});
