import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, it } from 'vitest';
import { diskBlobs } from './backends/disk-blobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-owned-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("pieces of a stream stay those of their giver, and those that are the store's are freed", async () => {
  const store = await diskBlobs(folder);
  const piecesOf = () => [1, 2, 3].map((fill) => new Uint8Array(100_000).fill(fill));
  const [given, owned] = [piecesOf(), piecesOf()];
  const info = await store.put(Readable.from(given), 300_000);
  expect(given).toEqual(piecesOf());
  expect(await store.put(Readable.from(owned), 300_000, true)).toEqual(info);
  expect(owned.map(({ length }) => length)).toEqual([0, 0, 0]);
});
