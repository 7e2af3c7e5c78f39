import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskStore } from '@moorage/base/disk/store';
import { expect, test } from 'vitest';
import { type WebRig, webRig, webWires } from '../testing/web-rig.ts';

/** More than a piece each. */
const files = Object.fromEntries(
  [1, 3, 5].map((step) => [`f${step}`, Buffer.from(Array.from({ length: 280_000 + step }, (_, at) => at * step))]),
);

/** Asks for a file and goes away when its first bytes have come. */
async function leave(rig: WebRig, name: string): Promise<void> {
  const stream = await rig.dial();
  await new Promise<void>((resolve) => {
    stream.on('error', () => {});
    stream.once('close', () => resolve());
    stream.once('data', () => stream.destroy());
    stream.write(`GET /${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });
}

test.each(webWires)('files of a disk are sent whole and never mixed up, over %s', async (wire) => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-pieces-'));
  const store = await DiskStore.open(folder);
  const rig = await webRig({ wire, store, files, variables: { 'http.server.max_clients': 8 } });
  for (let round = 0; round < 6; round++) {
    const names = Array.from({ length: 5 }, () => Object.keys(files)).flat();
    const answers = await Promise.all(
      names.map(async (name, index) => {
        if (index % 5 === 4) return leave(rig, name);
        const { status, body } = await rig.call('GET', `/${name}`);
        return { status, same: body.equals(files[name] ?? Buffer.alloc(0)) };
      }),
    );
    expect(answers.filter((answer) => answer !== undefined && !(answer.status === 200 && answer.same))).toEqual([]);
  }
  // What waits to be read is the client's own.
  const small = Buffer.alloc(20_000, 'small');
  await rig.put('small', small);
  const lazy = await rig.dial();
  lazy.write('GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect((await rig.call('GET', '/small')).body.equals(small)).toBe(true);
  expect((await rig.call('GET', '/f1')).status).toBe(200);
  const received: Buffer[] = [];
  lazy.on('data', (chunk: Buffer) => received.push(chunk));
  const body = (): Buffer => Buffer.concat(received).subarray(-small.length);
  await expect.poll(() => body().equals(small)).toBe(true);
  await rig.close();
  await store.close();
  await rm(folder, { recursive: true });
});
