import { Duplex, type Readable, Transform, type Writable } from 'node:stream';

const interrupt = 0x03;

/** A terminal for input, as `process.stdin` is one when it is no pipe. */
type Input = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/**
 * This process's own terminal as the serial port. Keys go to the module as they are typed, but Ctrl-C still interrupts
 * the process.
 */
export function openStdio(
  input: Input = process.stdin,
  output: Writable = process.stdout,
  onInterrupt: () => void = () => process.kill(process.pid, 'SIGINT'),
): { readonly stream: Duplex; close(): Promise<void> } {
  const raw = input.isTTY === true;
  if (raw) input.setRawMode?.(true);
  const keys = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const at = raw ? chunk.indexOf(interrupt) : -1;
      if (at >= 0) onInterrupt();
      done(null, at < 0 ? chunk : chunk.subarray(0, at));
    },
  });
  input.pipe(keys);
  const stream = Duplex.from({ readable: keys, writable: output });
  const close = async (): Promise<void> => {
    if (raw) input.setRawMode?.(false);
    input.unpipe(keys);
    input.pause();
    keys.destroy();
    // The process goes on writing to its output; only the session lets go of it.
    stream.removeAllListeners('data');
  };
  return { stream, close };
}
