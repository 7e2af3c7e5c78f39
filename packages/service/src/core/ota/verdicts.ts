import { otaResults, type ReportedFailure } from '@moorage/api';
import { type CurrentUpdate, mismatchReason, type UpdateTrigger } from './rules.ts';
import { meaningOf, phaseOf, type Word } from './words.ts';

/** What the results of the wire mean by themselves. Reference: wire 4.1. */
export const resultWords: readonly Word<number>[] = [
  { says: otaResults.failed, trigger: 'fail', reason: 'The device reports a general failure' },
  { says: otaResults.noCredentials, trigger: 'fail', reason: 'The device has no network name or password' },
  { says: otaResults.joinFailed, trigger: 'fail', reason: 'The device could not join its network' },
  { says: otaResults.unreachable, trigger: 'fail', reason: 'The device could not reach the service' },
  { says: otaResults.unauthorised, trigger: 'fail', reason: 'The device was not authorised' },
  { says: otaResults.badRequest, trigger: 'fail', reason: 'The device sent a bad request' },
  { says: otaResults.notFound, trigger: 'fail', reason: 'The device did not find what it asked for' },
];

/** A result report, judged. */
export interface Verdict {
  /** `undefined` when the report changes nothing. */
  readonly trigger: UpdateTrigger | undefined;
  /** Why the update failed, when it did. */
  readonly reason: string | undefined;
  /** In which way, where the device says it. */
  readonly kind?: ReportedFailure;
}

/** A result as a device reports it. */
interface Reported {
  readonly result: number;
  readonly bversion: string;
  readonly failure?: ReportedFailure | undefined;
}

/** The same in the words of the device, where it has better ones than a code. */
const reportedTexts: Readonly<Record<ReportedFailure, string>> = {
  download: 'The device could not fetch all files',
  check: 'A file did not pass its check on the device',
  install: 'The device could not install the update',
  health: 'The device does not work with the version',
  refused: 'The device or its user refuses the update',
};

/**
 * Judges a report: a failure code fails, the target's version text confirms, success with another text is progress.
 * Code 0 is what a module has after power-up: then another text after `installed` means that the update did not hold.
 */
export function judgeReport(update: CurrentUpdate, report: Reported): Verdict {
  const word = meaningOf(resultWords, update.state, (says: number) => says === report.result);
  const { failure: said } = report;
  if (word) {
    // Of what it has confirmed before, the device says so to its rollout alone: the update is done.
    if (update.state === 'done' && said === 'health') return { trigger: undefined, reason: undefined };
    return { trigger: 'fail', reason: said ? reportedTexts[said] : word.reason, kind: said ?? phaseOf(update.state) };
  }
  if (report.bversion === update.to_bversion) return { trigger: 'confirm', reason: undefined };
  if (report.result !== otaResults.none) return { trigger: 'install', reason: undefined };
  if (update.state !== 'installed') return { trigger: undefined, reason: undefined };
  return { trigger: 'mismatch', reason: mismatchReason(report.bversion) };
}

/** Whether a device that has had an update done does not work with what it runs. */
export const takesBack = (update: CurrentUpdate, { failure, result }: Reported): boolean =>
  update.state === 'done' && failure === 'health' && resultWords.some(({ says }) => says === result);
