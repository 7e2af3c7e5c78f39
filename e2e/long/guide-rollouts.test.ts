import { expect, test } from 'vitest';
import { hasPrograms } from '../bash.ts';
import { dataFolder } from '../data-folder.ts';
import { runBesideUp } from './up-guide.ts';

const folder = dataFolder('guide-rollouts');

test.skipIf(!hasPrograms('curl', 'bash'))(
  'the guide of rollouts works as it stands (needs curl and bash)',
  async () => {
    const printed = await runBesideUp('rollouts.md', folder.path);
    expect(printed).not.toContain('"statusCode"');

    const lines = printed.split('\n');
    expect(lines).toContain('2 devices');
    // The rollout of a bad bundle has stopped itself, and says why; nine devices were never offered it.
    expect(lines).toContain('exit code 5');
    expect(printed).toMatch(/The rollout is paused: [12] of 2 devices failed: (50|100) %, at least \d+(\.\d)? %/);
    expect(printed).toMatch(/^1 +open +2 +[01] +[12] /m);
    expect(printed).toMatch(/^2 +waiting +4 +0 +0 /m);
    expect(printed).toMatch(/^3 +waiting +5 +0 +0 /m);
    // With the mended one all are done.
    expect(lines).toContain('11 devices');
    expect(printed.match(/The rollout is finished/g)).toHaveLength(2);
    expect(printed).toContain('is frozen; rollouts paused: 0');
  },
);
