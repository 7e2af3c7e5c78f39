import { otaResults, type UpdateOffer } from '@moorage/api';
import { type Clock, failure, parseVersion, type Result, success, type Version } from '@moorage/base';
import type { HttpFailure } from '@moorage/net/http/client';
import { fileFlags, type NewFile } from '../device/flash.ts';
import type { FileWriter, Flash } from '../device/flash-files.ts';
import type { LinkListener } from './events.ts';
import { backOffMs, pause } from './pause.ts';
import { httpFailure, type LinkFailure } from './results.ts';
import type { ServiceClient } from './service-client.ts';
import { makeRoom } from './update-space.ts';

export type ManifestFile = UpdateOffer['files'][number];

export interface UpdateParts {
  readonly clock: Clock;
  readonly flash: Flash;
  readonly client: ServiceClient;
  readonly emit: LinkListener;
  /** Ends waits when the module goes down. */
  readonly signal: AbortSignal;
  /** Brings the network back if it has gone. */
  readonly reconnect: () => Promise<Result<void, LinkFailure>>;
}

/** Tries in a row that bring no byte before a download is given up. */
const maxBarrenTries = 6;
const firstRetryMs = 500;
const longestRetryMs = 16_000;

/** Flags that files of these types have besides `valid`. Reference: flash 2.2. */
const flagsOfType: Readonly<Record<number, number>> = {
  0: fileFlags.executable | fileFlags.system | fileFlags.bootable,
  1: fileFlags.system,
  128: fileFlags.executable | fileFlags.system | fileFlags.bootable,
  129: fileFlags.executable | fileFlags.system | fileFlags.bootable,
};

/** Those of the files that the flash does not hold with this size, version and CRC. Spec: MOD-OTA-keep. */
export function missingFiles(files: readonly ManifestFile[], flash: Flash): readonly ManifestFile[] {
  return files.filter((file) => {
    const held = flash.stat(file.local);
    const version = parseVersion(file.version);
    return (
      !held ||
      !version.ok ||
      held.size !== file.size ||
      held.crc !== file.crc ||
      held.version.some((part, index) => part !== version.value[index])
    );
  });
}

/**
 * Fetches the given files of an offer straight into flash, one after another. Each one becomes valid by itself, so
 * what is complete stays when a later one fails or the power goes.
 */
export async function installFiles(
  parts: UpdateParts,
  offer: UpdateOffer,
  files: readonly ManifestFile[],
): Promise<Result<void, LinkFailure>> {
  const kept = new Set(offer.files.map((file) => file.local));
  for (const file of files) {
    const installed = await installFile(parts, offer, file, kept);
    if (!installed.ok) return installed;
  }
  return success(undefined);
}

const general = (message: string) => failure<LinkFailure>({ result: otaResults.failed, message });

async function installFile(
  parts: UpdateParts,
  offer: UpdateOffer,
  file: ManifestFile,
  kept: ReadonlySet<string>,
): Promise<Result<void, LinkFailure>> {
  const version = parseVersion(file.version);
  if (!version.ok) return general(`Version "${file.version}" of ${file.local} is not a version`);
  const writer = await makeRoom(parts.flash, newFile(file, version.value), kept);
  if (!writer.ok) return general(`No place for ${file.local}: ${writer.error}`);
  let finished = false;
  try {
    const fetched = await fetchFile(parts, offer, file, writer.value);
    if (!fetched.ok) return fetched;
    finished = true;
    // Spec: MOD-OTA-crc. The writer drops the file when its bytes are not the announced ones.
    const stored = await writer.value.finish();
    return stored.ok ? success(undefined) : general(`${file.local} is not valid: ${stored.error}`);
  } finally {
    if (!finished) await writer.value.abandon();
  }
}

const newFile = (file: ManifestFile, version: Version): NewFile => ({
  name: file.local,
  size: file.size,
  version,
  type: file.type,
  flags:
    fileFlags.valid |
    (flagsOfType[file.type] ?? 0) |
    (file.flags.includes('e') ? fileFlags.essential : 0) |
    (file.flags.includes('u') ? fileFlags.unprotected : 0),
  crc: file.crc,
  replace: true,
});

/** Downloads a file of an offer into the writer. */
function fetchFile(
  parts: UpdateParts,
  offer: UpdateOffer,
  file: ManifestFile,
  writer: FileWriter,
): Promise<Result<void, LinkFailure>> {
  const received = (receivedBytes: number) =>
    parts.emit({ type: 'progress', file: file.local, receivedBytes, totalBytes: file.size });
  return fetchInto(parts, { path: pathOf(offer.path, file.remote), size: file.size, received }, writer);
}

/** A file of the service on its way into flash. */
export interface Fetched {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Told how many bytes there are: 0 first, then after each piece. */
  readonly received?: (bytes: number) => void;
}

/** Downloads into the writer; a cut connection goes on at the byte where it stopped. Spec: MOD-OTA-download. */
export async function fetchInto(
  parts: Pick<UpdateParts, 'clock' | 'client' | 'signal' | 'reconnect'>,
  { path, size, received: tell = () => {} }: Fetched,
  writer: FileWriter,
): Promise<Result<void, LinkFailure>> {
  let received = 0;
  const receive = async (chunk: Uint8Array) => {
    await writer.append(chunk);
    received += chunk.length;
    tell(received);
  };
  tell(received);
  if (size === 0) return success(undefined);
  for (let barren = 1; ; barren++) {
    const before = received;
    const done = await parts.client.download({ path, from: received, size, receive });
    if (done.ok) return done;
    // A cut just behind the last byte has taken nothing away.
    if (received === size) return success(undefined);
    if (received > before) barren = 1;
    const goesOn = canRetry(done.error) && barren < maxBarrenTries;
    if (!goesOn || !(await pause(parts.clock, backOffMs(barren, firstRetryMs, longestRetryMs), parts.signal))) {
      return failure(httpFailure(done.error));
    }
    const back = await parts.reconnect();
    if (!back.ok) return back;
  }
}

/** The service may be restarting: what it answers with 5xx is asked for again, a refusal is not. */
const canRetry = (error: HttpFailure): boolean =>
  error.kind === 'unreachable' || (error.kind === 'status' && error.status >= 500);

/** The offer's base may be an absolute URL; the module knows its service by `ota.host` and takes only the path. */
function pathOf(base: string, remote: string): string {
  const path = base.replace(/^https?:\/\/[^/]+/i, '');
  return path.includes('%s') ? path.replace('%s', () => remote) : `${path.replace(/\/$/, '')}/${remote}`;
}
