import { describe, expect, test } from 'vitest';
import { eventOf } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';
import { startUp, stateOf } from '../up-scene.ts';

const folder = dataFolder('up');

describe('moorage up', () => {
  test('goes on after kill -9 at every line of its output', async () => {
    let kills = 0;
    for (let killAt = 1; ; killAt++) {
      const program = startUp(folder.path);
      const seen = await Promise.race([
        program.line(() => program.lines.length >= killAt).then(() => true),
        program.line((line) => line.startsWith('Ctrl-C')).then(() => false),
      ]);
      program.process.kill('SIGKILL');
      await program.ended;
      if (!seen || program.lines.some((line) => line.startsWith('Ctrl-C'))) break;
      kills++;
    }
    expect(kills).toBeGreaterThan(5);
    const last = startUp(folder.path, '--json');
    const ready = await eventOf(last, 'ready');
    const { device, devices, products, updates } = await stateOf(ready);
    expect(device).toMatchObject({ bundle: '1.0.0.0', bundle_ok: true, state: 'active' });
    expect(devices).toHaveLength(1);
    expect(products).toHaveLength(1);
    expect(updates.filter((update) => update.state === 'done')).toHaveLength(1);
    last.process.kill('SIGTERM');
    expect(await last.ended).toBe(0);
  });
});
