import type { UpdateOffer } from '@moorage/api';
import { type Clock, failure, parseVersion, type Result, success, type Version } from '@moorage/base';
import type { HttpFailure } from '@moorage/net/http/client';
import type { ServiceConnection } from '../connection.ts';
import type { DeviceEventListener } from '../events.ts';
import { httpFailure, ownFailure, type ServiceFailure } from '../failures.ts';
import { isIdentityName } from '../identity.ts';
import { backOffMs, pause } from '../pause.ts';
import type { DeviceFiles, FileWriter, NewFile } from '../ports.ts';

export type ManifestFile = UpdateOffer['files'][number];

interface UpdateParts {
  readonly clock: Clock;
  readonly files: DeviceFiles;
  readonly connection: ServiceConnection;
  readonly emit: DeviceEventListener;
  /** Ends waits when the device stops. */
  readonly signal: AbortSignal;
  /** Brings the network back if it has gone. */
  readonly reconnect: () => Promise<Result<void, ServiceFailure>>;
}

/** Tries in a row that bring no byte before a download is given up. */
const maxBarrenTries = 6;
const firstRetryMs = 500;
const longestRetryMs = 16_000;

/** Those of a manifest's files that the device does not hold with this size, version and CRC. Spec: MOD-OTA-keep. */
export function missingFiles(manifest: readonly ManifestFile[], files: DeviceFiles): readonly ManifestFile[] {
  return manifest.filter((file) => {
    const held = files.stat(file.local);
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
 * Downloads the given files of an offer, one after another. Each one becomes valid by itself, so
 * what is complete stays when a later one fails or the power goes. Nothing is fetched of an offer that would replace the
 * identity: the service would know the device no more. Reference: power 2.1.
 */
export async function installFiles(
  parts: UpdateParts,
  offer: UpdateOffer,
  files: readonly ManifestFile[],
): Promise<Result<void, ServiceFailure>> {
  const identity = files.find((file) => isIdentityName(file.local));
  if (identity) return ownFailure('identityFile', { version: offer.version, name: identity.local });
  const bundled = new Set(offer.files.map((file) => file.local));
  for (const file of files) {
    const installed = await installFile(parts, offer, file, bundled);
    if (!installed.ok) return installed;
  }
  return success(undefined);
}

async function installFile(
  parts: UpdateParts,
  offer: UpdateOffer,
  file: ManifestFile,
  bundled: ReadonlySet<string>,
): Promise<Result<void, ServiceFailure>> {
  const version = parseVersion(file.version);
  if (!version.ok) return ownFailure('badVersion', { version: file.version, name: file.local });
  const writer = await parts.files.create(newFile(file, version.value, bundled));
  if (!writer.ok) return ownFailure('noPlace', { name: file.local, why: writer.error });
  let finished = false;
  try {
    const fetched = await fetchFile(parts, offer, file, writer.value);
    if (!fetched.ok) return fetched;
    finished = true;
    // Spec: MOD-OTA-crc. The writer drops the file when its bytes are not the announced ones.
    const stored = await writer.value.finish();
    return stored.ok ? success(undefined) : ownFailure('fileInvalid', { name: file.local, why: stored.error });
  } finally {
    if (!finished) await writer.value.abandon();
  }
}

const newFile = (file: ManifestFile, version: Version, bundled: ReadonlySet<string>): NewFile => ({
  purpose: 'update',
  name: file.local,
  size: file.size,
  version,
  crc: file.crc,
  type: file.type,
  flags: file.flags,
  bundled,
});

/** Downloads a file of an offer into the writer. */
function fetchFile(
  parts: UpdateParts,
  offer: UpdateOffer,
  file: ManifestFile,
  writer: FileWriter,
): Promise<Result<void, ServiceFailure>> {
  const received = (receivedBytes: number) =>
    parts.emit({ type: 'progress', file: file.local, receivedBytes, totalBytes: file.size });
  return fetchInto(parts, { path: pathOf(offer.path, file.remote), size: file.size, received }, writer);
}

/** A file of the service to be downloaded. */
export interface Fetched {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Called with the number of bytes so far: 0 first, then after each piece. */
  readonly received?: (bytes: number) => void;
}

/** Downloads into the writer; a cut connection goes on at the byte where it stopped. Spec: MOD-OTA-download. */
export async function fetchInto(
  parts: Pick<UpdateParts, 'clock' | 'connection' | 'signal' | 'reconnect'>,
  { path, size, received: notify = () => {} }: Fetched,
  writer: FileWriter,
): Promise<Result<void, ServiceFailure>> {
  let received = 0;
  const receive = async (chunk: Uint8Array) => {
    await writer.append(chunk);
    received += chunk.length;
    notify(received);
  };
  notify(received);
  if (size === 0) return success(undefined);
  for (let barren = 1; ; barren++) {
    const before = received;
    const done = await parts.connection.download({ path, from: received, size, receive });
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

/** The service may be restarting: a request that fails with 5xx is tried again, a refusal is not. */
const canRetry = (error: HttpFailure): boolean =>
  error.kind === 'unreachable' || (error.kind === 'status' && error.status >= 500);

/** The offer's base may be an absolute URL; the device has the address of its service already and takes only the path. */
function pathOf(base: string, remote: string): string {
  const path = base.replace(/^https?:\/\/[^/]+/i, '');
  return path.includes('%s') ? path.replace('%s', () => remote) : `${path.replace(/\/$/, '')}/${remote}`;
}
