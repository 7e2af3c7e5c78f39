import { closeSync, openSync } from 'node:fs';

/** Longest orderly stop, in milliseconds; then the process ends as it is. */
const stopTimeoutMs = 5_000;

/**
 * Signals within this many milliseconds of the first are the same one: a terminal sends Ctrl-C to the launcher and to
 * this process, and the launcher passes it on.
 */
const sameSignalMs = 500;

/** Exit code of a process whose data was taken from under it. */
const dataGoneCode = 3;

/** Exit code of a program whose reader has gone away, as a shell shows that of one that SIGPIPE has ended. */
const readerGoneCode = 141;

const standardOutputs = [process.stdout, process.stderr];

function onOutputError({ code, message }: NodeJS.ErrnoException): void {
  // Windows calls it the end of the file.
  if (code === 'EPIPE' || code === 'EOF') process.exit(readerGoneCode);
  process.stderr.off('error', onOutputError).on('error', () => {});
  process.stderr.write(`moorage: what was to be printed cannot be written: ${message}\n`);
  process.exit(1);
}

/** Ends this process without a word when who reads its output has gone away, as in `moorage devices | head`. */
export function endWithReader(): void {
  for (const output of standardOutputs) output.on('error', onOutputError);
}

/**
 * Stays until SIGINT or SIGTERM, then runs `stop` and ends with code 0. A second signal ends the process at once.
 * The process also ends at once when the launcher that started it is killed.
 *
 * @returns stops it for lack of its data at a path, with one line and code 3
 */
export function stopOnSignal(stop: () => Promise<void>): (path: string) => void {
  // Nothing else may: the timers of the two programs do not, and a module may have no listener at all.
  const keepsAlive = setInterval(() => {}, 3_600_000);
  // The reader of the output may go away; the work goes on.
  for (const output of standardOutputs) output.off('error', onOutputError).on('error', () => {});
  let firstAtMs: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAtMs !== undefined) {
      if (performance.now() - firstAtMs > sameSignalMs) process.exit(130);
      return;
    }
    firstAtMs = performance.now();
    // The terminal has written ^C; what is said from here on begins a line.
    if (signal === 'SIGINT' && process.stderr.isTTY) process.stderr.write('\n');
    end(0, (error) => {
      process.stderr.write(`moorage: stopping failed: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    });
  };
  const end = (code: number, onFailure: (error: unknown) => void): void => {
    clearInterval(keepsAlive);
    setTimeout(() => {
      process.stderr.write('moorage: the orderly stop took too long\n');
      process.exit(code || 1);
    }, stopTimeoutMs).unref();
    stop().then(() => process.exit(code), onFailure);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return (path) => {
    if (firstAtMs !== undefined) return;
    firstAtMs = performance.now();
    process.stderr.write(
      `moorage: ${path} is no more what it was; what is written there would be lost, so this stops\n`,
    );
    // What cannot be put away has nowhere to go.
    end(dataGoneCode, () => process.exit(dataGoneCode));
  };
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Calls `reload` on SIGHUP. A process whose terminal has been closed gets the same signal, and is stopped; on Windows it
 * means nothing else.
 */
export function onHangup(reload: () => void, platform: NodeJS.Platform = process.platform): void {
  process.on('SIGHUP', () => {
    // What `stopOnSignal` has set up: a signal that is sent ends a process of Windows on the spot.
    if (platform === 'win32' || (process.stdout.isTTY && !hasTerminal())) process.emit('SIGTERM', 'SIGTERM');
    else reload();
  });
}

/** Ends this process when its launcher is killed, as if it had been killed itself. */
export function dieWithLauncher(): void {
  if (!process.channel) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel.unref();
}
