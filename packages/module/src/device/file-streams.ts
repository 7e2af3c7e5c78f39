import { failure, formatVersion, success } from '@moorage/base';
import type { FileInfo, FileWriter, FlashError } from './flash.ts';
import type { Flash } from './flash-files.ts';
import type { Stream, StreamError, WriteSink } from './streams.ts';

const fileInfo = (file: Pick<FileInfo, 'name' | 'version' | 'size'>, position: number): string =>
  `${file.name}-${formatVersion(file.version)} (${file.size}, ${position})`;

/** Reads a file of the flash from its beginning; once that is deleted or replaced, reads fail. Spec: MOD-STREAM-FILE. */
export function readingStream(flash: Flash, file: FileInfo): Stream {
  let position = 0;
  const isThere = (): boolean => flash.stat(file.name) === file;
  const left = (): number => (isThere() ? file.size - position : 0);
  return {
    type: 'FILE',
    info: () => fileInfo(file, position),
    available: left,
    // A file gets no longer: what is available is all that will come.
    remoteClosed: true,
    get lost() {
      return isThere() ? undefined : 'missing';
    },
    read: async (max) => {
      const bytes = await flash.read(file, position, position + max);
      if (!bytes.ok) return new Uint8Array();
      position += bytes.value.length;
      return bytes.value;
    },
    close: () => {},
  };
}

/**
 * Takes the bytes of a file that was begun by `file_create -o`. With the last byte the file becomes valid and the
 * stream closes itself; closed before that, the file is lost. Spec: MOD-FILE-life, MOD-STATE-5, MOD-STATE-6.
 */
export function writingStream(file: Pick<FileInfo, 'name' | 'version' | 'size'>, writer: FileWriter): Stream {
  let finished = false;
  const finish = async () => {
    finished = true;
    const made = await writer.finish();
    return made.ok ? success(undefined) : failure(streamErrorOf(made.error));
  };
  const sink: WriteSink = {
    append: (chunk) => writer.append(chunk),
    // Another session may have written the last bytes.
    end: () => (writer.remaining === 0 && !finished ? finish() : success(undefined)),
    abort: () => {},
  };
  return {
    type: 'FILE',
    info: () => fileInfo(file, file.size - writer.remaining),
    available: () => 0,
    remoteClosed: false,
    get finished() {
      return finished;
    },
    write: (size) => (size > writer.remaining ? failure('too-large') : success(sink)),
    close: () => (finished ? undefined : writer.abandon()),
  };
}

const streamErrorOf = (error: FlashError): StreamError => (error === 'crc' ? 'crc' : 'failed');
