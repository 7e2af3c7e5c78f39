import { ignoreFailure, type Result, success } from '@moorage/base';
import { answerText, type Driver, type DriverFailure, driverFailure } from '../driver/driver.ts';
import { withoutNamedSecrets } from './secrets.ts';

/** How often a question that changes nothing is asked until its answer is believed. */
const maxAttempts = 3;

const notOk = (line: string, text: string): Result<never, DriverFailure> =>
  driverFailure('garbled', `The module answered "${withoutNamedSecrets(text).slice(0, 80)}" to "${line}"`);

/**
 * The text of a read-only command. A module that keeps long answers in a stream has it read and given back.
 * Reference: line 3.4.
 */
export async function askText(driver: Driver, line: string): Promise<Result<string, DriverFailure>> {
  const answered = await driver.run(line);
  if (!answered.ok) return answered;
  const text = answerText(answered.value);
  if (answered.value.code !== 0) return notOk(line, text);
  const kept = /^(\d{1,2}),(\d{1,7})$/.exec(text);
  return kept ? readKept(driver, kept[1] ?? '', Number(kept[2])) : success(text);
}

async function readKept(driver: Driver, handle: string, size: number): Promise<Result<string, DriverFailure>> {
  const pieces: Uint8Array[] = [];
  let failed: Result<never, DriverFailure> | undefined;
  for (let left = size; left > 0; ) {
    const wanted = Math.min(left, driver.chunkBytes);
    const piece = await driver.run(`stream_read ${handle} ${wanted}`, { payloadBytes: wanted });
    if (!piece.ok) failed = piece;
    else if (piece.value.code !== 0 || piece.value.bytes.length === 0)
      failed = driverFailure('garbled', 'A stream of kept output ended early');
    if (failed || !piece.ok) break;
    pieces.push(piece.value.bytes);
    left -= piece.value.bytes.length;
  }
  // A stream that has been read to its end may be gone by itself.
  ignoreFailure(await driver.run(`stream_close ${handle}`));
  if (failed) return failed;
  return success(Buffer.concat(pieces).toString('utf8').replaceAll('\r\n', '\n').replace(/\n$/, ''));
}

/** Asks until the answer is one: `parse` says what is wrong with it. What is refused stays refused. */
export async function askUntil<T>(
  driver: Driver,
  line: string,
  parse: (text: string) => Result<T, string>,
): Promise<Result<T, DriverFailure>> {
  let wrong = '';
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const text = await askText(driver, line);
    if (!text.ok) {
      if (attempt + 1 === maxAttempts || ['denied', 'in-use', 'unreachable'].includes(text.error.error)) return text;
      continue;
    }
    const parsed = parse(text.value);
    if (parsed.ok) return parsed;
    wrong = parsed.error;
  }
  return driverFailure('garbled', wrong);
}
