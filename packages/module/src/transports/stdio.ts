import { Duplex, type Readable, type Writable } from 'node:stream';

const interrupt = 0x03;

/** Interrupts this process as Ctrl-C does. On Windows a signal that a program sends ends its receiver on the spot. */
export function interruptSelf(platform: NodeJS.Platform = process.platform): void {
  if (platform === 'win32') process.emit('SIGINT', 'SIGINT');
  else process.kill(process.pid, 'SIGINT');
}

/** A terminal for input, as `process.stdin` is one when it is no pipe. */
type Input = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

/**
 * This process's own terminal as the serial port. Keys go to the module as they are typed, but Ctrl-C still interrupts
 * the process, and so does the end of the input when all of it has been answered. The output stays open.
 */
export function openStdio(
  input: Input = process.stdin,
  output: Writable = process.stdout,
  onInterrupt: () => void = interruptSelf,
): { readonly stream: Duplex; close(): Promise<void> } {
  const raw = input.isTTY === true;
  if (raw) input.setRawMode?.(true);
  const stream = new Duplex({
    read: () => input.resume(),
    write: (bytes: Buffer, _encoding, done) => void output.write(bytes, done),
    final(done) {
      done();
      onInterrupt();
    },
  });
  const onData = (bytes: Buffer): void => {
    const at = raw ? bytes.indexOf(interrupt) : -1;
    if (!stream.push(at < 0 ? bytes : bytes.subarray(0, at))) input.pause();
    if (at >= 0) onInterrupt();
  };
  const onEnd = (): void => void stream.push(null);
  input.on('data', onData).on('end', onEnd);
  const close = async (): Promise<void> => {
    if (raw) input.setRawMode?.(false);
    input.off('data', onData).off('end', onEnd).pause();
    stream.destroy();
  };
  return { stream, close };
}
