import { type Result, success } from '@moorage/base';
import { type Answer, answerText, type DriverFailure } from './driver.ts';

/** What a firmware prints for a response code. */
export interface Refusal {
  readonly code: number;
  readonly text: string;
}

export type Refusals = readonly Refusal[];

/** A word that no module has a command, file or variable for. */
export const unknownName = 'moorage_no_such_name';

/**
 * Lines that change nothing, and the code with which a module refuses them. There is none for 8, a line that is too long and
 * may be taken for two, nor for 9, a bound of a command. Reference: line 3.3.
 */
const refusedLines: readonly (readonly [line: string, code: number])[] = [
  [unknownName, 3],
  ['file_stat', 4],
  [`file_stat ${unknownName} 1 2 3`, 5],
  [`get ${unknownName}`, 6],
  ['stream_poll x', 7],
  [`file_stat ${unknownName}`, 1],
  // Last: a firmware that takes a quote as a letter refuses it with the text of another code.
  ['get "x', 2],
];

/** Has a module refuse what it must, so that its words for it are known. */
export async function learnRefusals(
  run: (line: string) => Promise<Result<Answer, DriverFailure>>,
): Promise<Result<Refusals, DriverFailure>> {
  const learnt: Refusal[] = [];
  for (const [line, code] of refusedLines) {
    const answered = await run(line);
    if (!answered.ok) return answered;
    // Lines of the log come before the response.
    const text = answerText(answered.value).split('\n').at(-1)?.trim() ?? '';
    if (text !== '' && !learnt.some((known) => known.text === text)) learnt.push({ code, text });
  }
  return success(learnt);
}

/** The code of an answer whose last line is a refusal; `undefined` when it is none. */
export function refusalIn(refusals: Refusals, text: string): number | undefined {
  const last = text.slice(text.trimEnd().lastIndexOf('\n') + 1).trim();
  return refusals.find((refusal) => refusal.text === last)?.code;
}
