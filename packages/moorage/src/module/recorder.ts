import type { Duplex } from 'node:stream';
import { type Difference, differenceKinds } from '@moorage/module/recorder/compare';
import { compareWithModule } from '@moorage/module/recorder/compare-module';
import { Recorder } from '@moorage/module/recorder/record';
import { type Exchange, exchangesOf, type Form, parseRecording } from '@moorage/module/recorder/recording';
import { type Deviation, Replay } from '@moorage/module/recorder/replay';
import { openLine } from '@moorage/module/transports/open';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { readGivenText } from '../files/given-file.ts';
import { type ModuleTraits, readOptions } from './run.ts';

/** The words of `--serial`, or the path of a serial port. */
const lineOf = (device: string): string => (device.startsWith('/') ? `tty:${device}` : device);

async function opened(...given: Parameters<typeof openLine>) {
  const line = await openLine(...given);
  if (!line.ok) throw new UserError(line.error, 2);
  return line.value;
}

/** Records until `close` is called. @throws {UserError} for a line or file that cannot be opened */
export async function startRecording(given: {
  readonly device: string;
  readonly serial: string;
  readonly output: string;
  readonly form: Form;
  readonly withSecrets: boolean;
}): Promise<{ readonly serial: string | undefined; close(): Promise<void> }> {
  const recorder = new Recorder(given);
  await recorder.opened().catch((error: Error) => {
    throw new UserError(`The recording cannot be written: ${error.message}`, 1, { cause: error });
  });
  const module = await opened(lineOf(given.device), (stream) => recorder.attachModule(stream));
  const host = await opened(given.serial, (stream) => recorder.attachHost(stream));
  const close = async (): Promise<void> => {
    await host.close();
    await module.close();
    await recorder.close();
  };
  return { serial: host.address, close };
}

/** The exchanges of a file. @throws {UserError} for one that is no recording */
export async function readExchanges(file: string, test?: string): Promise<readonly Exchange[]> {
  const entries = parseRecording(await readGivenText(file, 'recording'), test);
  if (!entries.ok) throw new UserError(`The recording "${file}" is wrong: ${entries.error}`, 2);
  return exchangesOf(entries.value);
}

/** Text as it is shown: bytes that do not print as JSON has them. */
const shown = (bytes: string): string => JSON.stringify(bytes);

/** Plays a recording on a line until all of it has passed or `close` is called; `done` resolves at the first of them. */
export async function startReplay(
  exchanges: readonly Exchange[],
  serial: string,
  reporter: Reporter,
): Promise<{ readonly serial: string | undefined; readonly done: Promise<number>; close(): Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let deviations = 0;
  let line: Duplex | undefined;
  const deviated = (deviation: Deviation): void => {
    deviations += 1;
    const { exchange, expected, sent } = deviation;
    const prose = `Exchange ${exchange}: the host sent ${shown(sent)}, and ${expected === '' ? 'nothing' : shown(expected)} when it was recorded`;
    reporter.event('deviation', { ...deviation }, prose);
  };
  const write = (bytes: string): void => void line?.write(Buffer.from(bytes, 'latin1'));
  const replay = new Replay(exchanges, { write, deviated, done: () => resolve(deviations) });
  const host = await opened(serial, (stream) => {
    line = stream;
    stream.on('data', (bytes: Buffer) => replay.receive(bytes.toString('latin1')));
    stream.on('error', () => stream.destroy());
    stream.on('end', () => stream.end());
    replay.begin();
  });
  const close = async (): Promise<void> => {
    resolve(deviations + replay.left);
    await host.close();
  };
  return { serial: host.address, done: promise, close };
}

/** Asks a virtual module what a recording has asked a real one. */
export const compareWith = async (
  exchanges: readonly Exchange[],
  traits: ModuleTraits,
): Promise<readonly Difference[]> =>
  compareWithModule(exchanges, { ...(await readOptions(traits)), seed: traits.seed ?? 1 });

/** Says what differs, and how much of each kind. */
export function reportDifferences(differences: readonly Difference[], count: number, reporter: Reporter): void {
  for (const difference of differences) {
    const { exchange, host, kind, recorded, virtual } = difference;
    const prose = `Exchange ${exchange}, after ${shown(host)}, ${kind}: recorded ${shown(recorded)}, virtual ${shown(virtual)}`;
    reporter.event('difference', { ...difference }, prose);
  }
  const counts = Object.fromEntries(
    differenceKinds.map((kind) => [kind, differences.filter((difference) => difference.kind === kind).length]),
  );
  const summary = differenceKinds.map((kind) => `${counts[kind]} ${kind}`).join(', ');
  reporter.event('compared', { exchanges: count, ...counts }, `${count} exchanges compared: ${summary}`);
}
