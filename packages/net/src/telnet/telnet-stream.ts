import { Duplex } from 'node:stream';
import { escaped, type TelnetEvent, TelnetReader } from './telnet.ts';

export interface TelnetOptions {
  /** Called with each event that is not data; may write to the source itself. */
  readonly onEvent: (event: Exclude<TelnetEvent, { kind: 'data' }>) => void;
  /** Called when bytes of any kind have come. */
  readonly active?: () => void;
  /** The other side need not speak telnet: what is sent is escaped only when it has shown that it does. */
  readonly maybeRaw?: boolean;
}

/** The data of a telnet connection as a stream of its own. */
export function telnetStream(source: Duplex, { active, onEvent, maybeRaw = false }: TelnetOptions): Duplex {
  const reader = new TelnetReader();
  let escapes = !maybeRaw;
  const stream = new Duplex({
    read: () => source.resume(),
    write: (bytes: Buffer, _encoding, done) => void source.write(escapes ? escaped(bytes) : bytes, done),
    final: (done) => void source.end(done),
    destroy(error, done) {
      source.destroy();
      done(error);
    },
  });
  source.on('data', (bytes: Buffer) => {
    active?.();
    for (const event of reader.read(bytes)) {
      if (event.kind !== 'data') {
        escapes = true;
        onEvent(event);
      } else if (!stream.push(event.bytes)) source.pause();
    }
  });
  source.on('end', () => stream.push(null));
  source.on('error', (error) => stream.destroy(error));
  source.on('close', () => stream.destroy());
  return stream;
}
