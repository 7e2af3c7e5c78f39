import { expect, test } from 'vitest';
import { hasPrograms } from '../bash.ts';
import { dataFolder } from '../data-folder.ts';
import { runBesideUp } from './up-guide.ts';

const folder = dataFolder('guide-fleet');

test.skipIf(!hasPrograms('curl', 'bash'))('the guide of fleets works as it stands (needs curl and bash)', async () => {
  const printed = await runBesideUp('fleet.md', folder.path);
  const lines = printed.split('\n');
  expect(lines).toContain('10 of 10 modules are updated');
  // With the module of the service itself.
  expect(lines).toContain('11 devices');
  expect(lines).toContain('3 of 3 modules are updated');
  expect(printed).toMatch(/"event":"end","code":0,"modules":3,.*"updated":3,.*"updates":0/);
  expect(printed).toContain('Key "groups.0.link.latency" is unknown');
  expect(lines).toContain('exit code 2');
  expect(lines).toContain('3 of 4 modules are updated');
  expect(lines).toContain('exit code 1');
});
