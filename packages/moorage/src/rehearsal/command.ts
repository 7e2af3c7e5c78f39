import { writeFile } from 'node:fs/promises';
import { UserError } from '../commands/define.ts';
import type { Reporter } from '../output.ts';
import { failingRuns, parseConditions } from './fail-if.ts';
import { readInput } from './input.ts';
import type { RehearseFlags } from './options.ts';
import { reportHtml, reportJunit } from './pages.ts';
import { reportOf } from './report.ts';
import { RehearsalError, type Run, runOnce } from './run.ts';
import { reportText } from './texts.ts';

/** Ends with this when a condition holds. */
const conditionCode = 3;

async function write(path: string | undefined, option: string, text: () => string): Promise<void> {
  if (path === undefined) return;
  await writeFile(path, text()).catch((error: Error) => {
    throw new UserError(`Option --${option} is "${path}": ${error.message}`, 1, { cause: error });
  });
}

/** Rehearses a rollout, and reports. @throws {UserError} for what is wrong, and when a condition holds */
export async function runRehearsal(flags: RehearseFlags, reporter: Reporter): Promise<void> {
  const failIf = flags['fail-if'];
  const conditions = failIf === undefined ? undefined : parseConditions(failIf);
  if (conditions && !conditions.ok) throw new UserError(`Option --fail-if: ${conditions.error}`, 2);
  if (flags.junit !== undefined && !conditions)
    throw new UserError('Option --junit is for --fail-if, which is missing', 2);
  const { assumed, rehearsal } = await readInput(flags);
  const runs: Run[] = [];
  for (let number = 0; number < flags.seeds; number++) {
    const seed = String(flags.seed + number);
    const label = `run ${number + 1} of ${flags.seeds}`;
    const run = await runOnce(rehearsal, seed, (share) => reporter.status(label, share)).catch((error: unknown) => {
      throw error instanceof RehearsalError ? new UserError(error.message, 2, { cause: error }) : error;
    });
    runs.push(run);
    reporter.event('run', { ...run });
  }
  reporter.status('');
  const { rollout, version: bundle, devices } = rehearsal;
  const report = reportOf({ title: rollout.title, bundle, devices, assumed }, runs);
  const { runs: _runs, ...summary } = report;
  reporter.event('report', summary, reportText(report));
  await write(flags.html, 'html', () => reportHtml(report));
  await write(flags.junit, 'junit', () => reportJunit(report, conditions?.value ?? []));
  const held = (conditions?.value ?? []).filter((condition) => failingRuns(condition, runs).length > 0);
  if (held.length > 0) {
    throw new UserError(`The rehearsal fails: ${held.map(({ text }) => text).join(', ')}`, conditionCode);
  }
}
