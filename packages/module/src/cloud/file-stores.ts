import { callUrl, type FileRecord, type FileTarget, fileLimitBytes, otaResults, type WrittenFile } from '@moorage/api';
import { type Clock, failure, parseVersion, type Result, success, type Version } from '@moorage/base';
import type { Static } from 'typebox';
import { defaultFileType, type FileInfo, fileFlags } from '../device/flash.ts';
import type { Flash } from '../device/flash-files.ts';
import type { LinkFailure } from './results.ts';
import { fileCalls } from './service-client.ts';
import type { ServiceLine } from './service-line.ts';
import { fetchInto } from './update.ts';

export type { FileRecord, FileTarget } from '@moorage/api';

interface FileStoresParts {
  readonly clock: Clock;
  readonly flash: Flash;
  readonly line: ServiceLine;
  /** Ends waits when the module goes down. */
  readonly signal: () => AbortSignal;
}

/** Entries that one answer of the service has at most. */
const pageSize = 500;

const firstVersion: Version = [1, 0, 0, 0];

const failed = (message: string) => failure<LinkFailure>({ result: otaResults.failed, message });

/**
 * The files of the device and the assets of its product, at the service. Of assets a device may list and read only;
 * the service refuses the rest. Spec: MOD-FILES-cloud. Reference: api 3.1.
 */
export class FileStores {
  readonly #parts: FileStoresParts;

  constructor(parts: FileStoresParts) {
    this.#parts = parts;
  }

  /** The index by path. @param filter a pattern where `*` stands for any characters */
  list(target: FileTarget, filter?: string): Promise<Result<readonly FileRecord[], LinkFailure>> {
    const { line } = this.#parts;
    return line.inTurn(() =>
      line.withClient(async (client) => {
        const all: FileRecord[] = [];
        for (;;) {
          const query = { limit: pageSize, offset: all.length, ...(filter !== undefined && { filter }) };
          const page = await client.call(fileCalls.list, { params: { target }, query });
          if (!page.ok) return page;
          all.push(...page.value);
          if (page.value.length < pageSize) return success(all);
        }
      }),
    );
  }

  /** One entry of the index; result 9 when there is no such file. */
  stat(target: FileTarget, path: string): Promise<Result<FileRecord, LinkFailure>> {
    return this.#parts.line.inTurn(() => this.#stat(target, path));
  }

  /** Brings a file into flash, in place of one of that name; it is valid only with the bytes that the index tells of. */
  download(target: FileTarget, path: string, name: string): Promise<Result<FileInfo, LinkFailure>> {
    const { clock, flash, line, signal } = this.#parts;
    return line.inTurn(async () => {
      const found = await this.#stat(target, path);
      if (!found.ok) return found;
      const { size, crc, version } = found.value;
      const parsed = parseVersion(version ?? '');
      const writer = await flash.create({
        name,
        size,
        crc: Number.parseInt(crc, 16),
        version: parsed.ok ? parsed.value : firstVersion,
        type: defaultFileType,
        flags: fileFlags.valid | fileFlags.user,
        replace: true,
      });
      if (!writer.ok) return failed(`No place for ${name}: ${writer.error}`);
      const url = callUrl(fileCalls.get, { params: { target, path } });
      let finished = false;
      try {
        const fetched = await line.withClient((client) => {
          const parts = { clock, client, signal: signal(), reconnect: () => line.join() };
          return fetchInto(parts, { path: url, size }, writer.value);
        });
        if (!fetched.ok) return fetched;
        finished = true;
        const stored = await writer.value.finish();
        return stored.ok ? stored : failed(`${name} is not valid: ${stored.error}`);
      } finally {
        if (!finished) await writer.value.abandon();
      }
    });
  }

  /** Writes a file of the flash to the service, in place of the one that has the path. */
  upload(target: FileTarget, name: string, path: string): Promise<Result<Static<typeof WrittenFile>, LinkFailure>> {
    const { flash, line } = this.#parts;
    return line.inTurn(async () => {
      // Keys and certificates stay on the module.
      if (((flash.stat(name)?.flags ?? 0) & fileFlags.system) !== 0) return failed(`${name} cannot be read: protected`);
      const content = await flash.readAll(name, fileLimitBytes);
      if (!content.ok) return failed(`${name} cannot be read: ${content.error}`);
      const body = { content: content.value, mediaType: 'application/octet-stream' };
      return line.ask(fileCalls.upload, { params: { target, path }, body });
    });
  }

  remove(target: FileTarget, path: string): Promise<Result<{ readonly result: 'ok' }, LinkFailure>> {
    const { line } = this.#parts;
    return line.inTurn(() => line.ask(fileCalls.remove, { params: { target, path } }));
  }

  async #stat(target: FileTarget, path: string): Promise<Result<FileRecord, LinkFailure>> {
    // Of the paths that begin so, the path itself is the first.
    const query = { prefix: path, sort: 'path', limit: 1 } as const;
    const found = await this.#parts.line.ask(fileCalls.list, { params: { target }, query });
    if (!found.ok) return found;
    const [first] = found.value;
    if (first?.path === path) return success(first);
    return failure({ result: otaResults.notFound, message: `File "${path}" not found` });
  }
}
