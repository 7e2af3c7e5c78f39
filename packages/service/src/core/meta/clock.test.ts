import { dayMs, hourMs, VirtualClock } from '@moorage/base';
import { expect, it } from 'vitest';
import { writeLog } from '../../engine/db/logs.ts';
import { buildApp, eachDatabase, type TestApp, testStartMs } from '../../testing/index.ts';
import { watchClock } from './clock.ts';

/** A clock that can be set, as an operator or a time server does. */
class SettableClock extends VirtualClock {
  shiftMs = 0;
  override now(): number {
    return super.now() + this.shiftMs;
  }
}

eachDatabase('a wrong clock', (open) => {
  const warning = async (app: TestApp) => {
    const reply = await app.client.call('meta.ready');
    return reply.ok ? reply.value.value.warning : reply.error;
  };
  const collect = () => {
    const lines: string[] = [];
    return { lines, logLevel: 'warn', logStream: { write: (line: string) => lines.push(line) } } as const;
  };

  it('is told at the start when records are newer, once in the log and in readyz', async () => {
    const storage = await open();
    await writeLog(storage.db, { type: 'user.update', message: 'later', atMs: testStartMs });
    const { lines, ...logging } = collect();
    const app = await buildApp(storage, { startMs: testStartMs - 2 * dayMs, ...logging });
    const said = 'The clock says 2023-11-12T22:13:20.000Z, before the newest record, of 2023-11-14T22:13:20.000Z';
    expect(await warning(app)).toBe(said);
    await app.clock.advance(3 * 60_000);
    expect(lines).toEqual([expect.stringContaining(said)]);
    await app.service.close();
  });

  it('is told at the start when it is years after the newest record', async () => {
    const storage = await open();
    await writeLog(storage.db, { type: 'user.update', message: 'earlier', atMs: testStartMs });
    const app = await buildApp(storage, { startMs: testStartMs + 8_000 * dayMs });
    expect(await warning(app)).toContain('more than a year after the newest record, of 2023-11-14T22:13:20.000Z');
    await app.service.close();
  });

  it('is not told where nothing is wrong: a first start, a rest of months, records a little ahead', async () => {
    const storage = await open();
    const first = await buildApp(storage);
    expect(await warning(first)).toBeUndefined();
    await writeLog(storage.db, { type: 'user.update', message: 'now', atMs: testStartMs });
    const withinMs = storage.kind === 'sqlite' ? 4 * 60_000 : 2_000;
    for (const afterMs of [200 * dayMs, -withinMs]) {
      const app = await buildApp(storage, { startMs: testStartMs + afterMs });
      expect(await warning(app)).toBeUndefined();
      await app.service.close();
    }
    await first.service.close();
  });

  it('is told by a node that is seconds behind another, and not of a file, which has one', async () => {
    const storage = await open();
    await writeLog(storage.db, { type: 'user.update', message: 'at another node', atMs: testStartMs + 2_001 });
    const app = await buildApp(storage);
    const said = 'The clock says 2023-11-14T22:13:20.000Z, before the newest record, of 2023-11-14T22:13:22.001Z';
    expect(await warning(app)).toBe(storage.kind === 'postgres' ? said : undefined);
    await app.service.close();
  });

  it.each([
    ['set back', -2 * hourMs, 'before the newest record'],
    ['set years ahead', 400 * dayMs, 'more than a year after the newest record'],
  ])('is told once, for a day, when it is %s while the service runs', async (_, shiftMs, said) => {
    const storage = await open();
    const clock = new SettableClock(testStartMs);
    const { lines, ...logging } = collect();
    const app = await buildApp(await open(), logging);
    const warnings = new Map<string, string>();
    const stop = await watchClock({ storage, clock, log: app.service.deps.log }, warnings);
    const minute = async () => {
      await clock.advance(60_000);
      await expect.poll(() => clock.pending, { interval: 1 }).toBeGreaterThan(warnings.size);
    };
    await minute();
    expect(warnings.size).toBe(0);
    clock.shiftMs = shiftMs;
    await minute();
    await minute();
    expect(warnings.get('clock')).toContain(said);
    expect(lines).toEqual([expect.stringContaining(said)]);
    await clock.advance(dayMs);
    expect(warnings.size).toBe(0);
    await stop();
    await app.service.close();
  });
});
