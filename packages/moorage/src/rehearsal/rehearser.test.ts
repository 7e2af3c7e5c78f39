import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@moorage/base';
import type { RehearsalInput } from '@moorage/service/extensions/rehearsals/rehearser';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { processRehearser } from './rehearser.ts';

const shape = {
  devices: 3,
  groups: [],
  attributes: [],
  free_flash: null,
  poll_interval_s: 600,
  seen: { hour: 3, day: 0, week: 0, longer: 0, never: 0 },
  outcomes: { done: 0, failed: {} },
};
const input: RehearsalInput = {
  rollout: { title: 'Spring', priority: 0, settings: { stages: [{}] } },
  version: '1.0.0.1',
  files: [{ filename: 'web/a.txt', bytes: Buffer.from('A tide') }],
  shape,
  devices: 5,
  seeds: 2,
  compare: true,
};

describe('a process that rehearses', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-rehearser-'));
    vi.stubEnv('TMPDIR', await mkdtemp(join(folder, 'temporary-')));
    vi.stubEnv('MOORAGE_DEVICES', '7');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  /** A program in the place of ours. */
  async function programOf(lines: string): Promise<readonly string[]> {
    const path = join(await mkdtemp(join(folder, 'program-')), 'program.mjs');
    await writeFile(path, `import { readFileSync, writeFileSync } from 'node:fs';\n${lines}`);
    return [path];
  }
  const watch = (signal = new AbortController().signal) => ({ signal, onPercent: () => {} });

  it('says what is wrong with a scenario, and where', async () => {
    const { mistakeIn } = processRehearser();
    expect(await mistakeIn({ groups: [{ name: 'pier', share: 1 }] })).toBeUndefined();
    expect(await mistakeIn({ groups: [{ name: 'pier', share: 0 }] })).toContain('Key "groups.0.share" is 0');
  });

  it('gets the rollout, the files and the shape, and gives progress, report and page', async () => {
    const program = await programOf(`
      const args = process.argv.slice(2);
      const after = (name) => args[args.indexOf(name) + 1];
      const say = (event, more) => console.log(JSON.stringify({ event, ...more }));
      say('progress', { percent: 40 });
      say('run', { seed: '1' });
      const { rollout, shape } = Object.fromEntries(
        ['rollout', 'shape'].map((name) => [name, JSON.parse(readFileSync(after('--' + name), 'utf8'))]));
      const file = readFileSync(after('--bundle') + '/web/a.txt', 'utf8');
      writeFileSync(after('--html'), '<p>Page</p>');
      const own = Object.keys(process.env).filter((name) => name.startsWith('MOORAGE_'));
      say('report', { spread: {}, rollout, shape, file, own, given: args.filter((one) => !one.includes('/')) });
    `);
    const percents: number[] = [];
    const { signal } = new AbortController();
    const found = await processRehearser({ program }).rehearse(input, {
      signal,
      onPercent: (percent) => percents.push(percent),
    });
    const given =
      'rehearse --rollout --bundle-version 1.0.0.1 --shape --bundle --devices 5 --seeds 2 --compare --html --json';
    const { rollout } = input;
    const report = {
      spread: {},
      rollout,
      shape,
      file: 'A tide',
      own: [],
      given: given.split(' '),
      runs: [{ seed: '1' }],
    };
    expect(found).toEqual({ ok: true, value: { report, page: '<p>Page</p>' } });
    expect(percents).toEqual([40]);
    expect(await readdir(tmpdir())).toEqual([]);
  });

  it('says in its own words why there is no report', async () => {
    const program = await programOf(`
      const path = process.argv[process.argv.indexOf('--scenario') + 1];
      console.error('moorage: The scenario "' + path + '" is wrong: Key "groups" is missing');
      process.exitCode = 2;
    `);
    const found = await processRehearser({ program }).rehearse({ ...input, scenario: {} }, watch());
    expect(found).toEqual({ ok: false, error: 'The scenario "scenario.json" is wrong: Key "groups" is missing' });
    const cut = await processRehearser({ program: await programOf(`process.stdout.write('{"event":"rep')`) }).rehearse(
      input,
      watch(),
    );
    expect(cut).toEqual({ ok: false, error: 'Its process ended with 0' });
    const silent = await processRehearser({ program: await programOf('process.exitCode = 7;') }).rehearse(
      input,
      watch(),
    );
    expect(silent).toEqual({ ok: false, error: 'Its process ended with 7' });
  });

  it('leaves nothing of those whose service was killed', async () => {
    const [old, young] = [join(tmpdir(), 'moorage-rehearsal-old'), join(tmpdir(), 'moorage-rehearsal-young')];
    const hourMs = 3_600_000;
    for (const [path, atMs] of [
      [old, 0],
      [young, hourMs],
    ] as const) {
      await mkdir(path);
      await utimes(path, new Date(atMs), new Date(atMs));
    }
    const program = await programOf('process.exitCode = 7;');
    expect((await processRehearser({ program, clock: new VirtualClock(hourMs) }).rehearse(input, watch())).ok).toBe(
      false,
    );
    expect(await readdir(tmpdir())).toEqual(['moorage-rehearsal-young']);
    await rm(young, { recursive: true });
  });

  it('is killed when it is to stop, and when it takes too long', async () => {
    const ready = join(folder, 'ready');
    const program = await programOf(
      `writeFileSync(${JSON.stringify(ready)}, String(process.pid)); setInterval(() => {}, 1000);`,
    );
    const isReady = () =>
      vi.waitFor(async () => expect(await readFile(ready, 'utf8')).toMatch(/^\d+$/), { timeout: 20_000 });
    const stop = new AbortController();
    const stopped = processRehearser({ program }).rehearse(input, watch(stop.signal));
    await isReady();
    stop.abort();
    expect(await stopped).toEqual({ ok: false, error: 'Its process ended with SIGKILL' });
    await rm(ready);
    const clock = new VirtualClock(0);
    const late = processRehearser({ program, clock }).rehearse(input, watch());
    await isReady();
    await clock.advance(15 * 60_000);
    expect(await late).toEqual({ ok: false, error: 'It was not over after 15 minutes' });
  });
});
