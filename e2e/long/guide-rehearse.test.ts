import { expect, test } from 'vitest';
import { hasPrograms } from '../bash.ts';
import { dataFolder } from '../data-folder.ts';
import { runBesideUp } from './up-guide.ts';

const folder = dataFolder('guide-rehearse');

/** The range of a share in the last report that was printed, in percent. */
function foretold(printed: string, metric: 'done' | 'failed') {
  const [, mean, least = mean, most = mean] =
    [...printed.matchAll(new RegExp(`^${metric} +([\\d.]+) %(?: \\(([\\d.]+) to ([\\d.]+) %\\))?`, 'gm'))].at(-1) ?? [];
  return { least: Number(least), most: Number(most) };
}

/** What became of the devices of the rollout that was watched, of 100. */
function realOf(printed: string) {
  const [, watched = ''] = printed.split(/^State: finished$/m);
  const stages = [...watched.matchAll(/^\d+ +passed +(\d+) +(\d+) +(\d+)/gm)].map((row) => row.slice(1).map(Number));
  const sum = (column: number): number => stages.reduce((all, stage) => all + (stage[column] ?? 0), 0);
  return { done: (100 * sum(1)) / sum(0), failed: (100 * sum(2)) / sum(0) };
}

test.skipIf(!hasPrograms('bash'))('the guide of rehearsals works as it stands (needs bash)', async () => {
  const printed = await runBesideUp('rehearse.md', folder.path, 'cat "$desk/report.xml" "$desk/report.html"');
  const lines = printed.split('\n');
  expect(printed).toContain('Rehearsal of "Spring": bundle 1.0.0.1 on 20 twins, 1 run');
  expect(printed).toMatch(/^reached_before_abort +10 % /m);
  expect(printed).toMatch(/^Seed 1: paused after .*: The gate of stage 1 is not met/m);
  expect(printed).toContain('The rehearsal fails: done < 95%\n');
  expect(lines).toContain('exit code 3');
  expect(printed).toMatch(/^Seed 1: finished after /m);
  expect(lines).toContain('The same');
  expect(printed).toContain('<testsuite name="Spring" tests="2" failures="1">');
  expect(printed).toContain('<title>Rehearsal: Spring</title>');
  expect(printed.match(/^Seed 1: finished after /gm)).toHaveLength(2);
  const real = realOf(printed);
  for (const metric of ['done', 'failed'] as const) {
    const { least, most } = foretold(printed, metric);
    expect(real[metric], metric).toBeGreaterThanOrEqual(least);
    expect(real[metric], metric).toBeLessThanOrEqual(most);
  }
});
