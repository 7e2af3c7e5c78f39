import { createHash } from 'node:crypto';
import { type Clock, hourMs } from '@moorage/base';
import { StorageError } from '../stores/health.ts';
import type { BlobStore, OpenBlob } from './blob-store.ts';

/** What has become of stored bytes. */
export type BlobState = 'whole' | 'altered' | 'missing';

/** Bytes that are looked at together. */
const readBytes = 256 * 1024;
/** Larger ones are not read before they are handed out: the walk in the background looks at them. */
const firstReadLimitBytes = 64 * 1024 * 1024;
/** What was found whole is believed for so long. */
const believedMs = hourMs;
/** Contents that are remembered as whole. */
const believedLimit = 10_000;

async function isWhole(blob: OpenBlob, sha256: string): Promise<boolean> {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(Math.min(readBytes, Math.max(1, blob.size)));
  for (let at = 0; at < blob.size; ) {
    const count = await blob.read(buffer, at);
    if (count === 0) return false;
    hash.update(buffer.subarray(0, count));
    at += count;
  }
  return hash.digest('hex') === sha256;
}

/** Compares stored bytes with their name. */
export async function stateOf(store: Pick<BlobStore, 'open'>, sha256: string): Promise<BlobState> {
  const blob = await store.open(sha256);
  if (!blob) return 'missing';
  try {
    return (await isWhole(blob, sha256)) ? 'whole' : 'altered';
  } finally {
    await blob.close();
  }
}

/** Codes of files and folders that cannot be used, by no fault of a request. */
const awayCodes: ReadonlySet<unknown> = new Set(['EACCES', 'EIO', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EPERM', 'EROFS']);

/** Makes what the system says of a folder that cannot be used the trouble of the file store. */
async function onStore<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isAway = error instanceof Error && 'code' in error && awayCodes.has(error.code);
    throw isAway ? new StorageError({ kind: 'away', what: 'file store' }, error.message, error) : error;
  }
}

/** Stored bytes that are not what was stored, by their names. */
export type Damaged = ReadonlyMap<string, Exclude<BlobState, 'whole'>>;

export interface CheckedBlobs extends BlobStore {
  /** Looks at bytes, and remembers whether they are what was stored. */
  verify(sha256: string): Promise<BlobState>;
}

/**
 * A store that hands out no bytes which are not what was stored: they are read once before they are opened, and again an
 * hour later. What is missing or altered is a `StorageError`, until the same content is stored again.
 *
 * @param reads whether reading all bytes is cheap: those of a far store are looked at by `verify` alone
 * @param onChange called whenever something more, or less, is known to be wrong
 */
export function checkedBlobs(
  store: BlobStore,
  { clock, reads, onChange }: { readonly clock: Clock; readonly reads: boolean; onChange(damaged: Damaged): void },
): CheckedBlobs {
  const damaged = new Map<string, Exclude<BlobState, 'whole'>>();
  /** When each was found whole, monotonic ms; the longest ago first. */
  const believed = new Map<string, number>();
  const looking = new Map<string, Promise<BlobState>>();

  function note(sha256: string, state: BlobState): void {
    believed.delete(sha256);
    if (state === 'whole') {
      believed.set(sha256, clock.monotonic());
      if (believed.size > believedLimit) believed.delete(believed.keys().next().value ?? '');
    }
    if (state === 'whole' ? !damaged.delete(sha256) : damaged.get(sha256) === state) return;
    if (state !== 'whole') damaged.set(sha256, state);
    onChange(damaged);
  }

  function verify(sha256: string): Promise<BlobState> {
    const look = async () => {
      const state = await onStore(stateOf(store, sha256));
      // With the whole folder away, no content of it is damaged.
      if (state === 'missing') await onStore(store.check());
      note(sha256, state);
      return state;
    };
    const state = looking.get(sha256) ?? look().finally(() => looking.delete(sha256));
    looking.set(sha256, state);
    return state;
  }

  const isBelieved = (sha256: string): boolean =>
    clock.monotonic() - (believed.get(sha256) ?? Number.NEGATIVE_INFINITY) < believedMs;
  const lost = (sha256: string, state: string): StorageError =>
    new StorageError({ kind: 'damaged', what: 'file store' }, `Stored file ${sha256} is ${state}`);

  return {
    ...(store.addressOf && { addressOf: store.addressOf.bind(store) }),
    verify,
    async put(source, maxBytes) {
      const info = await onStore(store.put(source, maxBytes));
      if (info) note(info.sha256, 'whole');
      return info;
    },
    async open(sha256, from) {
      const known = damaged.get(sha256);
      if (known !== undefined && (await verify(sha256)) !== 'whole') throw lost(sha256, known);
      const blob = await onStore(store.open(sha256, from));
      if (!blob) throw lost(sha256, await verify(sha256));
      if (!reads || blob.size > firstReadLimitBytes || isBelieved(sha256)) return blob;
      const state = await verify(sha256).catch(async (error: unknown) => {
        await blob.close();
        throw error;
      });
      if (state === 'whole') return blob;
      await blob.close();
      throw lost(sha256, state);
    },
    async remove(sha256, storedBeforeMs) {
      await onStore(store.remove(sha256, storedBeforeMs));
      if (damaged.delete(sha256)) onChange(damaged);
      believed.delete(sha256);
    },
    check: () => store.check(),
    list: () => store.list(),
  };
}
