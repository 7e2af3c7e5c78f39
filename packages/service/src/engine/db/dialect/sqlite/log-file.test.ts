import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRecords } from '../../../../tables.ts';
import { type DiskSync, LogFile } from './log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'moorage-log-file-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

describe('the log file of a database', () => {
  /** A log file on a disk that takes so many ms; what it was asked, in order. */
  function fileOn(disk: Partial<DiskSync> = {}) {
    const asked: string[] = [];
    const state = { nowMs: 0, tookMs: 0 };
    const path = join(folder, 'database');
    writeFileSync(`${path}-wal`, '');
    const log = new LogFile(
      path,
      { monotonic: () => state.nowMs },
      {
        here() {
          asked.push('here');
          state.nowMs += state.tookMs;
        },
        async elsewhere() {
          asked.push('elsewhere');
        },
        ...disk,
      },
    );
    return { log, asked, state };
  }

  it('waits here for a quick disk, and elsewhere for a slow one, until that was some time ago', async () => {
    const { log, asked, state } = fileOn();
    const many = async (count: number) => {
      asked.length = 0;
      for (let at = 0; at < count; at++) await log.sync();
      return asked;
    };
    try {
      state.tookMs = 1;
      expect(new Set(await many(50))).toEqual(new Set(['here']));
      state.tookMs = 20;
      expect((await many(50)).slice(2)).toEqual(Array(48).fill('elsewhere'));
      state.nowMs += 2_000;
      state.tookMs = 0;
      expect(new Set(await many(50))).toEqual(new Set(['here']));
      // One that is slow again soon is left alone for twice as long.
      state.tookMs = 20;
      await many(50);
      for (const [afterMs, where] of [
        [2_000, 'elsewhere'],
        [2_000, 'here'],
      ] as const) {
        state.nowMs += afterMs;
        expect(await many(1)).toEqual([where]);
      }
    } finally {
      await log.close();
    }
  });

  it('is brought to the disk once for all that ask while it is at work', async () => {
    const ends: (() => void)[] = [];
    const elsewhere = vi.fn(async () => {
      if (ends.length < 2) await new Promise<void>((resolve) => ends.push(resolve));
    });
    const { log, state } = fileOn({ elsewhere });
    state.tookMs = 20;
    await log.sync();
    const first = log.sync();
    await vi.waitFor(() => expect(elsewhere).toHaveBeenCalledTimes(1));
    const later = Array.from({ length: 10 }, () => log.sync());
    ends[0]?.();
    await first;
    await vi.waitFor(() => expect(elsewhere).toHaveBeenCalledTimes(2));
    ends[1]?.();
    await Promise.all(later);
    expect(elsewhere).toHaveBeenCalledTimes(2);
    await log.close();
  });

  it('is never good again once the disk has failed', async () => {
    const here = vi.fn(() => {
      if (here.mock.calls.length === 2) throw Object.assign(new Error('EIO'), { code: 'EIO' });
    });
    const { log } = fileOn({ here });
    await log.sync();
    for (let at = 0; at < 3; at++) {
      await expect(log.sync()).rejects.toMatchObject({ trouble: { kind: 'away', what: 'database' } });
    }
    await log.close();
  });
});

describe('what is written to a database file', () => {
  const open = () => openRecords(`sqlite:${join(folder, 'moorage.db')}`);

  it('is acknowledged when it is on the disk; others read and write meanwhile', async () => {
    const storage = await open();
    const disk = Promise.withResolvers<void>();
    const sync = vi.spyOn(LogFile.prototype, 'sync').mockImplementation(() => disk.promise);
    const add = (name: string) => ({ name, value: 'x' });
    const names = async () =>
      (await storage.db.selectFrom('settings').select('name').execute()).map(({ name }) => name);
    const ended: string[] = [];
    const noted = async (name: string, work: Promise<unknown>) => {
      await work;
      ended.push(name);
    };
    const writes = [
      noted(
        'transaction',
        storage.transaction((trx) => trx.insertInto('settings').values(add('one')).execute()),
      ),
      noted('statement', storage.db.insertInto('settings').values(add('two')).execute()),
      noted('marks', storage.hot.touchDevice('a device that is not there', 1, null)),
    ];
    await vi.waitFor(async () => expect(await names()).toEqual(expect.arrayContaining(['one', 'two'])));
    // What the first one has written is found, so nothing is; that must not be told before the first is.
    const again = storage.transaction((trx) =>
      trx
        .insertInto('settings')
        .values(add('one'))
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    );
    writes.push(noted('the same again', again));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual([]);
    disk.resolve();
    await Promise.all(writes);
    expect(ended).toHaveLength(4);
    expect(sync).toHaveBeenCalled();
    sync.mockRestore();
    await storage.close();
  });

  it('is refused once the disk has failed, and read all the same', async () => {
    const storage = await open();
    vi.spyOn(LogFile.prototype, 'sync').mockRejectedValue(new Error('EIO'));
    await expect(
      storage.transaction((trx) => trx.insertInto('settings').values({ name: 'one', value: 'x' }).execute()),
    ).rejects.toThrow('EIO');
    await expect(storage.db.selectFrom('settings').select('name').execute()).resolves.toBeDefined();
    vi.restoreAllMocks();
    await storage.close();
  });
});
