import type { DdiFeedback, MenderStatus, ReportedFailure, UpdateState } from '@moorage/api';
import { defined } from '@moorage/base';
import { meaningOf, type Phase, phaseOf, type Word } from '../../core/ota/words.ts';

/** A feedback of DDI: what the client does, how that ended, and the only line that it says. */
interface DdiSays {
  readonly execution: DdiFeedback['status']['execution'];
  readonly finished?: DdiFeedback['status']['result']['finished'];
  readonly line?: string;
}

/** What ends a client's part in an update. */
interface Closing {
  readonly closes?: true;
}

/** What SWUpdate says when it was told to skip an update: nothing is installed, whatever it calls that. */
const skipped = 'Skipped Update.';
/** What it says when all is written and the restart comes. */
const allInstalled = 'All Chunks Installed.';

/** What feedback means to the update. The first row that fits counts. Spec: API-DDI-feedback. */
export const ddiWords: readonly (Word<DdiSays> & Closing)[] = [
  { says: { execution: 'closed', finished: 'failure' }, trigger: 'fail', closes: true },
  { says: { execution: 'closed', line: skipped }, when: ['offered'], closes: true },
  { says: { execution: 'closed' }, trigger: 'confirm', closes: true },
  {
    says: { execution: 'canceled' },
    trigger: 'fail',
    reason: 'The client has cancelled the update',
    kind: 'refused',
    closes: true,
  },
  { says: { execution: 'download' }, trigger: 'fetch', reaches: 'download' },
  { says: { execution: 'downloaded' }, reaches: 'install' },
  { says: { execution: 'proceeding', line: allInstalled }, trigger: 'install', reaches: 'install' },
  { says: { execution: 'proceeding' } },
  { says: { execution: 'scheduled' } },
  { says: { execution: 'rejected' } },
  { says: { execution: 'resumed' } },
];

/**
 * What a status means to the update. Success is believed when the device reports the name of what it has installed.
 * Spec: API-MENDER-status.
 */
export const menderWords: readonly (Word<MenderStatus> & Closing)[] = [
  { says: 'downloading', trigger: 'fetch', reaches: 'download' },
  { says: 'pause_before_installing', reaches: 'install' },
  { says: 'installing', reaches: 'install' },
  { says: 'pause_before_rebooting', reaches: 'install' },
  { says: 'rebooting', reaches: 'install' },
  { says: 'pause_before_committing', reaches: 'install' },
  { says: 'success', trigger: 'install', reaches: 'install', closes: true },
  { says: 'failure', trigger: 'fail', closes: true },
  { says: 'already-installed', trigger: 'confirm', closes: true },
];

/** What lines mean that clients write in their own words, whatever else they report with them. */
export const lineWords: readonly (Word<RegExp> & { readonly begins?: true })[] = [
  // SWUpdate. It writes while it downloads, so that what went wrong tells more than how far it had come.
  { says: /^Software Update started/, begins: true },
  { says: /^\[install_|^Installed Chunk\.$|^All Chunks Installed\.$/, reaches: 'install' },
  { says: /^ERROR : .*Channel /, kind: 'download' },
  { says: /^ERROR : .*(HASH mismatch|signature|[Vv]erif|Compatible SW not found)/, kind: 'check' },
  { says: /^ERROR : .*scripts failed/, kind: 'install' },
  // The RAUC updater: what it fetches it checks, and then RAUC installs.
  { says: /^Download complete\./, reaches: 'download' },
  { says: /[Ii]nvalid checksum|checksum.* mismatch/, kind: 'check' },
  { says: /^File checksum OK\.$|^installing$/, reaches: 'install' },
];

/** How clients mark a line that says what went wrong: SWUpdate, the RAUC updater, the log of Mender. */
const errorMark = /^(?:ERROR\b(?: :|:)?|LastError:|error:)\s*/;
/** What a client says that says nothing else. */
const saysNothing = 'The client reports a failure';
const longestReason = 500;

const meaningOfLine = (line: string) => meaningOf(lineWords, 'offered', (says: RegExp) => says.test(line));

/** What SWUpdate's other processes write between the lines of what goes wrong. */
const aside = /^\[channel_log_effective_url\]/;

/**
 * The line that says why: the first of those that stand together last and carry the mark of an error. Where none does, the
 * last line of the client.
 */
function lineOfReason(said: readonly string[], last: readonly string[]): string {
  const lines = said.filter((line) => !aside.test(line));
  const at = lines.findLastIndex((line) => errorMark.test(line));
  const before = lines.slice(0, Math.max(0, at)).findLastIndex((line) => !errorMark.test(line));
  const marked = at < 0 ? undefined : lines[before + 1];
  return marked ?? last.findLast((line) => line.trim() !== '') ?? '';
}

/** How far the steps of both protocols have come, by the words that clients report them in. */
const phasesOfSteps: ReadonlyMap<string, Phase> = new Map([
  ...menderWords.flatMap(({ says, reaches }) => (reaches ? [[says, reaches] as const] : [])),
  ...ddiWords.flatMap(({ says, reaches }) => (reaches && !says.line ? [[says.execution, reaches] as const] : [])),
]);

/** What a client has reported of an update: the word of its protocol, and a line with it. */
export interface SaidLine {
  readonly step: string;
  readonly text: string;
}

/**
 * Why an update has failed and in which way: the client's own order of events decides, not its last line. What it has
 * said of an attempt before the last is passed over.
 *
 * @param before all that it has said until then, the oldest first
 * @param last what it says as it fails
 */
export function failureOf(
  before: readonly SaidLine[],
  last: readonly string[],
  state: UpdateState,
): { readonly reason: string; readonly kind: ReportedFailure } {
  const all = [...before, ...last.map((text) => ({ step: '', text }))];
  const attempt = all.slice(all.findLastIndex(({ text }) => meaningOfLine(text)?.begins) + 1);
  const reached = attempt.flatMap(({ step, text }) => meaningOfLine(text)?.reaches ?? phasesOfSteps.get(step) ?? []);
  const texts = attempt.map(({ text }) => text);
  const line = lineOfReason(texts, last);
  const phase = phaseOf(state) === 'install' ? 'install' : (reached.at(-1) ?? 'download');
  return {
    reason: line.replace(errorMark, '').slice(0, longestReason) || saysNothing,
    kind: meaningOfLine(line)?.kind ?? phase,
  };
}

/** A feedback of DDI, judged. Spec: API-DDI-feedback. */
export function judgeFeedback({ status: { execution, result, details } }: DdiFeedback, state: UpdateState) {
  const lines = details ?? [];
  const word = meaningOf(
    ddiWords,
    state,
    (says: DdiSays) =>
      says.execution === execution &&
      (says.finished ?? result.finished) === result.finished &&
      (says.line === undefined ||
        (execution === 'closed' ? lines.length === 1 && lines[0] === says.line : lines.includes(says.line))),
  );
  const said = defined({ reason: word?.reason, kind: word?.kind });
  return { trigger: word?.trigger, closes: word?.closes ?? false, ...said };
}

/** A status of Mender, judged. Spec: API-MENDER-status. */
export function judgeStatus(status: MenderStatus, state: UpdateState) {
  const word = meaningOf(menderWords, state, (says: MenderStatus) => says === status);
  return { trigger: word?.trigger, closes: word?.closes ?? false };
}
