import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const entry = fileURLToPath(new URL('../../bin/moorage', import.meta.url));

/** A machine of which only the loopback interface is there. */
const alone = ['unshare', ['-n', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']] as const;
const canBeAlone = spawnSync(alone[0], [...alone[1], 'true']).status === 0;

test.skipIf(!canBeAlone)('moorage up reaches its update on a machine without a network (needs root)', async () => {
  const data = await mkdtemp(join(tmpdir(), 'moorage-alone-'));
  const ports = ['--port', '0', '--device-port', '0', '--serial', 'tcp:127.0.0.1:0'];
  const child = spawn(alone[0], [...alone[1], process.execPath, entry, 'up', '--data', data, ...ports, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events: string[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      events.push((JSON.parse(line) as { event: string }).event);
      if (events.includes('updated')) break;
    }
    expect(events.at(-1)).toBe('updated');
  } finally {
    child.kill('SIGKILL');
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  }
});
