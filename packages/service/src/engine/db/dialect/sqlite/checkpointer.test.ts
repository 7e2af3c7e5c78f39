import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@moorage/base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SqliteDatabase } from './database.ts';
import { LogFile } from './log-file.ts';

describe('checkpointer', () => {
  let folder: string;
  let clock: VirtualClock;
  let database: SqliteDatabase;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'moorage-checkpoint-'));
    clock = new VirtualClock();
    database = new SqliteDatabase(join(folder, 'a.db'), clock, (error) => {
      throw error;
    });
    database.writer.db.exec('create table t (x text)');
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (rows: number) =>
    database.write(({ db }) => {
      db.exec('begin immediate');
      for (let row = 0; row < rows; row++) db.exec(`insert into t values (hex(zeroblob(2000)))`);
      db.exec('commit');
    });

  const waiting = (): number => {
    const [row] = database.writer.all('pragma wal_checkpoint(noop)', []) as { log: number; checkpointed: number }[];
    return row ? row.log - row.checkpointed : Number.NaN;
  };

  it.each([
    ['few', 20],
    ['many', 2_000],
  ])('moves %s pages a second after the write', async (_, rows) => {
    await write(rows);
    expect(waiting()).toBeGreaterThan(rows / 2);
    await clock.advance(999);
    expect(waiting()).toBeGreaterThan(rows / 2);
    await clock.advance(1);
    await expect.poll(waiting).toBe(0);
    expect(database.writer.all('select count(*) as n from t', [])).toEqual([{ n: rows }]);
  });

  it('lets the thread do all of it while the disk is slow: readers do not wait, and the log begins anew', async () => {
    vi.spyOn(LogFile.prototype, 'isSlow', 'get').mockReturnValue(true);
    await write(20);
    const asked = vi.spyOn(database.writer.db, 'exec');
    const locked = vi.spyOn(database.mutex, 'lock');
    await database.lock();
    await clock.advance(10_000);
    await vi.waitFor(() => expect(locked).toHaveBeenCalledTimes(2), { interval: 5 });
    database.mutex.unlock();
    // The thread has it now.
    expect(database.mutex.held).toBe(true);
    const count = await database.read((connection) => connection.get('select count(*) as n from t'));
    expect(count).toEqual({ n: 20 });
    await write(1);
    expect(waiting()).toBeLessThan(5);
    expect(asked.mock.calls.flat()).not.toContain('pragma wal_checkpoint(passive)');
  });

  it('waits for nothing while nothing is written', async () => {
    await write(1);
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it('leaves an open transaction alone, and comes back after it', async () => {
    await write(20);
    await database.lock();
    await database.begin();
    await clock.advance(1_000);
    database.writer.db.exec('commit');
    expect(waiting()).toBeGreaterThan(10);
    database.unlock();
    await clock.advance(1_000);
    expect(waiting()).toBe(0);
  });
});
