import { minuteMs, VirtualClock } from '@moorage/base';
import { expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { eachDatabase } from '../../testing/index.ts';
import { deleteOldAttempts } from './attempt-queries.ts';
import { limits, openAttempts } from './throttle.ts';

const open = { ok: true };
const closedFor = (retryAfterS: number) => ({ ok: false, error: { retryAfterS } });
const ofName = limits.loginOfName;

// API-LIMIT-login
eachDatabase('limit of attempts', (openDatabase, kind, address) => {
  const start = async () => {
    const clock = new VirtualClock();
    const storage = await openDatabase();
    return { clock, storage, attempts: openAttempts({ storage, clock }) };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  const fail = async ({ attempts }: Pick<Started, 'attempts'>, times: number, subject = '1.1.1.1 maker') => {
    for (let time = 0; time < times; time++) expect(await attempts.begin(ofName, subject)).toMatchObject(open);
  };

  it('closes after ten failures and opens when the first is 15 minutes old', async () => {
    const it = await start();
    await fail(it, 1);
    await it.clock.skip(minuteMs);
    await fail(it, 9);
    expect(await it.attempts.begin(ofName, '1.1.1.1 maker')).toEqual(closedFor(14 * 60));
    await it.clock.skip(14 * minuteMs - 1);
    expect(await it.attempts.begin(ofName, '1.1.1.1 maker')).toEqual(closedFor(1));
    await it.clock.advance(1);
    await fail(it, 1);
    expect(await it.attempts.begin(ofName, '1.1.1.1 maker')).toEqual(closedFor(60));
  });

  it('counts each subject apart, whatever the case of the name', async () => {
    const it = await start();
    await fail(it, 10);
    expect((await it.attempts.begin(ofName, '1.1.1.1 MAKER')).ok).toBe(false);
    await fail(it, 10, '2.2.2.2 maker');
    await fail(it, 10, '1.1.1.1 other');
  });

  it('forgets failures after a success, and one attempt that is undone', async () => {
    const it = await start();
    await fail(it, 9);
    const attempt = await it.attempts.begin(ofName, '1.1.1.1 maker');
    if (attempt.ok) await attempt.value.clear();
    await fail(it, 9);
    const undone = await it.attempts.begin(ofName, '1.1.1.1 maker');
    if (undone.ok) await undone.value.undo();
    await fail(it, 1);
    expect((await it.attempts.begin(ofName, '1.1.1.1 maker')).ok).toBe(false);
  });

  it('counts attempts that are still under way, those of other processes too', async () => {
    const url = await address();
    const clock = new VirtualClock();
    // A file has one service; its other processes are commands.
    const storages = [await openRecords(url), await openRecords(url)];
    const nodes = storages.map((storage) => openAttempts({ storage, clock }));
    const begun = await Promise.all(
      Array.from({ length: 30 }, (_, number) => nodes[kind === 'postgres' ? number % 2 : 0]?.begin(ofName, 'x maker')),
    );
    expect(begun.filter((one) => one?.ok)).toHaveLength(10);
    expect((await nodes[1]?.begin(ofName, 'x maker'))?.ok).toBe(false);
    for (const storage of storages) await storage.close();
  });

  it('keeps no names, and nothing that no longer counts', async () => {
    const it = await start();
    await fail(it, 1, '1.1.1.1 secret');
    const rows = () => it.storage.db.selectFrom('attempts').selectAll().execute();
    expect(JSON.stringify(await rows())).not.toContain('secret');
    await deleteOldAttempts(it.storage.db, ofName.windowMs - 1);
    expect(await rows()).toHaveLength(1);
    await deleteOldAttempts(it.storage.db, ofName.windowMs + 1);
    expect(await rows()).toEqual([]);
  });
});
