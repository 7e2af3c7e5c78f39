import { Duplex } from 'node:stream';

/** The host's end of a serial line: what the module sends is read at once. */
export function hostLine(received: (bytes: Uint8Array) => void): Duplex {
  return new Duplex({
    read: () => {},
    write: (bytes: Buffer, _encoding, done) => {
      received(bytes);
      done();
    },
  });
}
