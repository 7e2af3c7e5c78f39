import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Duplex } from 'node:stream';
import { type Clock, realClock } from '@moorage/base';
import { type Entry, entryLine, type Form, headLine, reserialLine, type Side } from './recording.ts';
import { Secrets } from './secrets.ts';

/** Most bytes of a recording in the form that is written at its end. */
const maxKeptBytes = 64 * 1024 * 1024;

interface RecorderOptions {
  readonly output: string;
  readonly form: Form;
  /** Passwords and keys stay in it. */
  readonly withSecrets: boolean;
  readonly clock?: Clock;
}

/**
 * Stands between a host and a module and passes everything on at once; what has passed is written to a file, an exchange
 * at a time, since a password is known as one only by its whole line.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #file: ReturnType<typeof createWriteStream>;
  readonly #secrets: Secrets | undefined;
  #host: Duplex | undefined;
  #module: Duplex | undefined;
  #exchange: Entry[] = [];
  #kept: Entry[] = [];
  #keptBytes = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#startMs = this.#clock.monotonic();
    this.#file = createWriteStream(options.output, { flags: 'wx' });
    this.#secrets = options.withSecrets ? undefined : new Secrets();
    if (options.form === 'moorage') this.#file.write(headLine());
  }

  /** Resolves when the file is there; rejects when it cannot be made. */
  async opened(): Promise<void> {
    await once(this.#file, 'open');
    this.#file.on('error', () => {});
  }

  /** The line of the host; a new one takes the place of an older one. */
  attachHost(stream: Duplex): void {
    this.#host = stream;
    this.#relay(stream, 'host', () => this.#module);
  }

  /** The line of the module. */
  attachModule(stream: Duplex): void {
    this.#module = stream;
    this.#relay(stream, 'module', () => this.#host);
  }

  /** Writes the rest; resolves when all of it is in the file. */
  async close(): Promise<void> {
    this.#flush();
    if (this.#options.form === 'reserial') this.#file.write(reserialLine('recording', this.#kept));
    this.#file.end();
    await once(this.#file, 'close');
  }

  #relay(stream: Duplex, from: Side, other: () => Duplex | undefined): void {
    stream.on('data', (bytes: Buffer) => {
      this.#add(from, bytes.toString('latin1'));
      other()?.write(bytes);
    });
    stream.on('error', () => stream.destroy());
    stream.on('end', () => stream.end());
  }

  #add(from: Side, bytes: string): void {
    // The host speaks again: what was before is whole.
    if (from === 'host' && this.#exchange.at(-1)?.from === 'module') this.#flush();
    this.#exchange.push({ ms: this.#clock.monotonic() - this.#startMs, from, bytes });
  }

  #flush(): void {
    const entries = this.#secrets?.blank(this.#exchange) ?? this.#exchange;
    this.#exchange = [];
    if (this.#options.form === 'moorage') for (const entry of entries) this.#file.write(entryLine(entry));
    else {
      this.#keptBytes += entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
      if (this.#keptBytes <= maxKeptBytes) this.#kept.push(...entries);
    }
  }
}
