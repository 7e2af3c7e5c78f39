import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveOptions } from '../command-line/options.ts';
import { runRehearsal } from './command.ts';
import { readInput } from './input.ts';
import { rehearseOptions } from './options.ts';

describe('the input of a rehearsal', () => {
  let folder: string;
  let plan: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-rehearse-'));
    plan = join(folder, 'plan.json');
    await writeFile(plan, '{"title": "Spring", "template": "at_once"}');
    await writeFile(join(folder, 'wrong.json'), '{"titel": "Spring"}');
    await writeFile(join(folder, 'both.json'), '{"template": "careful", "settings": {"stages": [{}]}}');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const flagsOf = (flags: Readonly<Record<string, string>>) =>
    unwrap(resolveOptions(rehearseOptions, { flags, env: {}, file: {} }));

  it('is a plan with the settings that its template means', async () => {
    const { assumed, rehearsal } = await readInput(flagsOf({ rollout: plan, devices: '5' }));
    expect(assumed).toEqual([]);
    const settings = { stages: [{}], abort: [{ kind: 'any', percent: 2, min: 50, action: 'pause' }] };
    expect(rehearsal).toMatchObject({ rollout: { title: 'Spring', settings }, devices: 5, version: '1.0.0.1' });
  });

  it('has no filter where the fleet has been counted by it', async () => {
    const shape = {
      filter: 'label.region==eu',
      devices: 2,
      groups: [{ platform: 'P', version: '1.0.0.0', devices: 2 }],
      attributes: [],
      free_flash: null,
      poll_interval_s: null,
      seen: { hour: 2, day: 0, week: 0, longer: 0, never: 0 },
      outcomes: { done: 0, failed: {} },
    };
    const [fleet, filtered] = [join(folder, 'shape.json'), join(folder, 'filtered.json')];
    await writeFile(fleet, JSON.stringify(shape));
    const read = async (filter: string) => {
      await writeFile(filtered, JSON.stringify({ filter, template: 'at_once' }));
      return readInput(flagsOf({ rollout: filtered, shape: fleet }));
    };
    const { assumed, rehearsal } = await read('label.region==eu');
    expect(rehearsal.rollout).not.toHaveProperty('filter');
    expect(assumed).toEqual(['All twins fit the filter; other devices do not ask for updates']);
    expect((await read('label.region==us')).rehearsal.rollout).toHaveProperty('filter', 'label.region==us');
  });

  it.each([
    [{}, 'Option --rollout is missing'],
    [{ devices: '0' }, 'Option --devices is 0, not a number of 1 to 50000'],
    [{ seeds: '101' }, 'Option --seeds is 101'],
    [{ days: '91' }, 'Option --days is 91'],
    [{ from: '1.0' }, 'Option --from is "1.0"'],
    [{ scenario: 'a', shape: 'b' }, 'Option --shape says what the twins are, too: leave --scenario out'],
    [{ rollout: 'wrong.json' }, 'Key "titel" is unknown'],
    [{ rollout: 'both.json' }, 'Key "template" excludes "settings"'],
    [{ rollout: 'missing.json' }, 'missing.json" cannot be read'],
    [{ rollout: 'plan.json', scenario: 'wrong.json' }, 'wrong.json" is wrong: Key "groups" is missing'],
    [{ rollout: 'plan.json', shape: 'wrong.json' }, 'wrong.json" is wrong: Key'],
    [{ rollout: 'plan.json', backup: 'a' }, 'Option --backup needs the id of a rollout in it, or --product'],
    [{ rollout: 'plan.json', backup: 'wrong.json', product: 'X' }, 'is not a whole backup'],
    [{ rollout: 'plan.json', bundle: 'nothing' }, 'nothing" cannot be read'],
    [{ 'fail-if': 'done' }, 'Option --fail-if: "done" is no condition'],
    [{ junit: 'x' }, 'Option --junit is for --fail-if, which is missing'],
  ])('%j is refused', async (given: Readonly<Record<string, string>>, message) => {
    const files = ['rollout', 'scenario', 'shape', 'bundle', 'backup'];
    const flags = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, files.includes(name) ? join(folder, value) : value]),
    );
    const reporter = { event() {}, say() {}, status() {}, progress: () => ({ at() {}, end() {} }) };
    await expect(runRehearsal(flagsOf(flags), reporter)).rejects.toThrow(message);
  });
});
