import { Duplex } from 'node:stream';
import { success } from '@moorage/base';
import { attachSession } from '../bus/attach-session.ts';
import type { SerialPlace } from '../bus/bus-port.ts';
import type { Stream, StreamType } from '../device/streams.ts';
import type { ModuleOptions } from '../module.ts';
import { moduleRig } from './module-rig.ts';

/** A network stream whose other side is the test. */
export class PeerStream implements Stream {
  readonly type: StreamType;
  /** What has been written, packet by packet. */
  readonly packets: string[] = [];
  remoteClosed = false;
  /** While set, writes wait for it. */
  stalled: Promise<void> | undefined;
  #unread = Buffer.alloc(0);
  #changed: () => void = () => {};

  constructor(type: StreamType = 'TCPC') {
    this.type = type;
  }

  info(): string {
    return 'test';
  }

  available(): number {
    return this.#unread.length;
  }

  watch(changed: () => void): void {
    this.#changed = changed;
  }

  read(max: number): Uint8Array {
    const bytes = this.#unread.subarray(0, max);
    this.#unread = this.#unread.subarray(max);
    return bytes;
  }

  write(): ReturnType<NonNullable<Stream['write']>> {
    const pieces: Uint8Array[] = [];
    return success({
      append: (chunk) => {
        pieces.push(Buffer.from(chunk));
        return this.stalled;
      },
      end: () => {
        this.packets.push(Buffer.concat(pieces).toString('latin1'));
        return success(undefined);
      },
      abort: () => {},
    });
  }

  close(): void {}

  /** The other side sends. */
  send(text: string): void {
    this.#unread = Buffer.concat([this.#unread, Buffer.from(text, 'latin1')]);
    this.#changed();
  }

  /** The other side closes. */
  end(): void {
    this.remoteClosed = true;
    this.#changed();
  }

  /** Everything written since the last look. */
  sent(): string {
    return this.packets.splice(0).join('');
  }
}

/** The host's end of a serial line. */
export class HostLine {
  readonly stream: Duplex;
  /** Reads what comes; off, the line fills up. */
  takes = true;
  ended = false;
  #received = '';
  #waiting: (() => void)[] = [];

  constructor() {
    this.stream = new Duplex({
      writableHighWaterMark: 1024,
      read: () => {},
      write: (bytes: Buffer, _encoding, done) => {
        const take = (): void => {
          this.#received += bytes.toString('latin1');
          done();
        };
        if (this.takes) take();
        else this.#waiting.push(take);
      },
      final: (done) => {
        this.ended = true;
        done();
      },
    });
  }

  type(text: string): void {
    this.stream.push(Buffer.from(text, 'latin1'));
  }

  /** What the module has sent since the last look. */
  received(): string {
    const received = this.#received;
    this.#received = '';
    return received;
  }

  /** Reads on. */
  take(): void {
    this.takes = true;
    for (const next of this.#waiting.splice(0)) next();
  }
}

/** A module with lines attached to its UARTs; `restart` saves, and boots again. */
export async function busRig(options: Partial<ModuleOptions> = {}) {
  const rig = await moduleRig(options);
  const { clock, module } = rig;
  const attach = (place?: SerialPlace): HostLine => {
    const line = new HostLine();
    attachSession(module, 'serial', line.stream, undefined, place);
    return line;
  };
  const restart = async (...settings: string[]): Promise<void> => {
    for (const line of [...settings.map((setting) => `set ${setting}`), 'save']) {
      const saved = rig.run(line);
      await clock.advance(10_000);
      if (!(await saved).startsWith('0 ')) throw new Error(`${line}: ${await saved}`);
    }
    const booted = module.reboot();
    await clock.advance(10_000);
    await booted;
    await clock.advance(0);
  };
  /** Puts a stream into the table. */
  const connect = (stream: PeerStream): number => {
    const opened = module.streams.open(stream);
    if (!opened.ok) throw new Error(opened.error);
    return opened.value;
  };
  return { ...rig, attach, restart, connect };
}

/** In stream mode, with one line and one stream; nothing received yet. */
export async function streaming(...settings: string[]) {
  const rig = await busRig();
  const host = rig.attach();
  await rig.restart('bus.mode stream', ...settings);
  const peer = new PeerStream();
  rig.connect(peer);
  await rig.pass(5_000);
  host.received();
  return { ...rig, host, peer };
}
