import { callUrl, type FileRecord, type FileTarget, fileLimitBytes, otaResults, type WrittenFile } from '@moorage/api';
import { type Clock, defined, parseVersion, type Result, success, type Version } from '@moorage/base';
import type { Static } from 'typebox';
import type { ServiceAccess } from './access.ts';
import { fileEndpoints } from './connection.ts';
import { ownFailure, type ServiceFailure } from './failures.ts';
import type { DeviceFiles } from './ports.ts';
import { fetchInto } from './update/download.ts';

interface RemoteFilesParts {
  readonly clock: Clock;
  readonly files: DeviceFiles;
  readonly access: ServiceAccess;
  /** Ends waits when the device stops. */
  readonly signal: () => AbortSignal;
}

/** Entries that one response of the service has at most. */
const pageSize = 500;

const firstVersion: Version = [1, 0, 0, 0];

/**
 * The files of the device and the assets of its product, at the service. Of assets a device may list and read only;
 * the service refuses the rest. Spec: MOD-FILES-cloud. Reference: api 3.1.
 */
export class RemoteFiles {
  readonly #parts: RemoteFilesParts;

  constructor(parts: RemoteFilesParts) {
    this.#parts = parts;
  }

  /** The index by path. @param filter a pattern where `*` stands for any characters */
  list(target: FileTarget, filter?: string): Promise<Result<readonly FileRecord[], ServiceFailure>> {
    const { access } = this.#parts;
    return access.inTurn(() =>
      access.withConnection(async (connection) => {
        const all: FileRecord[] = [];
        for (;;) {
          const query = { limit: pageSize, offset: all.length, ...defined({ filter }) };
          const page = await connection.request(fileEndpoints.list, { params: { target }, query });
          if (!page.ok) return page;
          all.push(...page.value);
          if (page.value.length < pageSize) return success(all);
        }
      }),
    );
  }

  /** One entry of the index; result 9 when there is no such file. */
  stat(target: FileTarget, path: string): Promise<Result<FileRecord, ServiceFailure>> {
    return this.#parts.access.inTurn(() => this.#stat(target, path));
  }

  /** Downloads a file, in place of one of that name; it becomes valid only with the size and CRC of the index. */
  download(target: FileTarget, path: string, name: string): Promise<Result<void, ServiceFailure>> {
    const { clock, files, access, signal } = this.#parts;
    return access.inTurn(async () => {
      const found = await this.#stat(target, path);
      if (!found.ok) return found;
      const { size, crc, version } = found.value;
      const parsed = parseVersion(version ?? '');
      const writer = await files.create({
        name,
        size,
        crc: Number.parseInt(crc, 16),
        version: parsed.ok ? parsed.value : firstVersion,
        purpose: 'requested',
      });
      if (!writer.ok) return ownFailure('noPlace', { name, why: writer.error });
      const url = callUrl(fileEndpoints.get, { params: { target, path } });
      let finished = false;
      try {
        const fetched = await access.withConnection((connection) => {
          const parts = { clock, connection, signal: signal(), reconnect: () => access.join() };
          return fetchInto(parts, { path: url, size }, writer.value);
        });
        if (!fetched.ok) return fetched;
        finished = true;
        const stored = await writer.value.finish();
        return stored.ok ? success(undefined) : ownFailure('fileInvalid', { name, why: stored.error });
      } finally {
        if (!finished) await writer.value.abandon();
      }
    });
  }

  /** Uploads a file of the device, in place of the one that has the path. */
  upload(target: FileTarget, name: string, path: string): Promise<Result<Static<typeof WrittenFile>, ServiceFailure>> {
    const { files, access } = this.#parts;
    return access.inTurn(async () => {
      // Keys and certificates stay on the device.
      if (files.stat(name)?.isSecret) return ownFailure('fileUnreadable', { name, why: 'protected' });
      const content = await files.readAll(name, fileLimitBytes);
      if (!content.ok) return ownFailure('fileUnreadable', { name, why: content.error });
      const body = { content: content.value, mediaType: 'application/octet-stream' };
      return access.request(fileEndpoints.upload, { params: { target, path }, body });
    });
  }

  remove(target: FileTarget, path: string): Promise<Result<{ readonly result: 'ok' }, ServiceFailure>> {
    const { access } = this.#parts;
    return access.inTurn(() => access.request(fileEndpoints.remove, { params: { target, path } }));
  }

  async #stat(target: FileTarget, path: string): Promise<Result<FileRecord, ServiceFailure>> {
    // Of the paths that begin so, the path itself is the first.
    const query = { prefix: path, sort: 'path', limit: 1 } as const;
    const found = await this.#parts.access.request(fileEndpoints.list, { params: { target }, query });
    if (!found.ok) return found;
    const [first] = found.value;
    if (first?.path === path) return success(first);
    return ownFailure('fileMissing', { path }, otaResults.notFound);
  }
}
