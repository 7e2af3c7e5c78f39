import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DiskStore } from '@moorage/base/disk/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultFlashLayout } from '../src/device/flash.ts';
import { Flash } from '../src/device/flash-files.ts';
import { contentOf } from './flash-writer-content.ts';

const kills = 20;
const writerPath = fileURLToPath(new URL('flash-writer.ts', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-kill-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Change {
  readonly name: string;
  /** Round that wrote the content; 0: deleted. */
  readonly round: number;
}

interface Killed {
  readonly acknowledged: readonly Change[];
  /** Begun, not acknowledged: may have happened or not. */
  readonly pending: Change | undefined;
}

/** Lets a writer work until it has printed `lines` lines, and kills it in the middle of whatever it does then. */
async function writeUntilKilled(firstRound: number, lines: number): Promise<Killed> {
  const writer = spawn(process.execPath, [writerPath, folder, String(firstRound)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  writer.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const exited = once(writer, 'exit');
  const acknowledged: Change[] = [];
  let pending: Change | undefined;
  let count = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    const begun = /^begin (.*) (\d+)$/.exec(line);
    if (begun) pending = { name: begun[1] ?? '', round: Number(begun[2]) };
    else if (pending) {
      acknowledged.push(pending);
      pending = undefined;
    }
    // What it still printed before it died is read to the end.
    if (++count === lines) writer.kill('SIGKILL');
  }
  expect((await exited)[1], errors.join('')).toBe('SIGKILL');
  return { acknowledged, pending };
}

// MOD-FILE-durable
test('a flash folder loses no acknowledged file to 20 kills of its writer', async () => {
  const expected = new Map<string, number>();
  let round = 1;
  for (let kill = 0; kill < kills; kill++) {
    const { acknowledged, pending } = await writeUntilKilled(round, 1 + Math.floor(Math.random() * 40));
    for (const change of acknowledged) expected.set(change.name, change.round);
    round += acknowledged.length + 1;

    const store = await DiskStore.open(folder);
    const flash = await Flash.open(store, defaultFlashLayout);
    for (const file of flash.list()) {
      const content = await flash.readAll(file.name, file.size);
      const rounds = [expected.get(file.name), ...(pending?.name === file.name ? [pending.round] : [])];
      const found = rounds.find((each) => each && content.ok && equal(content.value, contentOf(file.name, each)));
      expect(found, `${file.name} after kill ${kill}`).toBeDefined();
      expected.set(file.name, found ?? 0);
    }
    for (const [name, last] of expected) {
      if (flash.stat(name)) continue;
      expect(last === 0 || (pending?.name === name && pending.round === 0), `${name} after kill ${kill}`).toBe(true);
      expected.set(name, 0);
    }
    await store.close();
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }
  expect(round).toBeGreaterThan(kills);
});

const equal = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
