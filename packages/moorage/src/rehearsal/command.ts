import { writeFile } from 'node:fs/promises';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { failingRuns, parseConditions } from './fail-if.ts';
import { readInput } from './input.ts';
import type { RehearseFlags } from './options.ts';
import { reportHtml, reportJunit } from './pages.ts';
import { type Compared, reportOf, spreadsOf } from './report.ts';
import { type Rehearsal, RehearsalError, type Run, runOnce } from './run.ts';
import { reportText } from './texts.ts';
import { variantsOf } from './variants.ts';

/** Ends with this when a condition holds. */
const conditionCode = 3;

async function write(path: string | undefined, option: string, text: () => string): Promise<void> {
  if (path === undefined) return;
  await writeFile(path, text()).catch((error: Error) => {
    throw new UserError(`Option --${option} is "${path}": ${error.message}`, 1, { cause: error });
  });
}

interface Watched {
  readonly flags: RehearseFlags;
  readonly reporter: Reporter;
  /** Which rehearsal of how many this is; the first is 0. */
  readonly part: number;
  readonly parts: number;
  readonly onRun: (run: Run) => void;
}

/** All runs of a rehearsal, one after the other. @throws {UserError} */
async function runAll(rehearsal: Rehearsal, { flags, onRun, part, parts, reporter }: Watched): Promise<Run[]> {
  const runs: Run[] = [];
  const total = parts * flags.seeds;
  let percent = -1;
  for (let number = 0; number < flags.seeds; number++) {
    const before = part * flags.seeds + number;
    const label = `run ${before + 1} of ${total}`;
    const progress = (share: number): void => {
      reporter.status(label, share);
      const now = Math.floor((100 * (before + share)) / total);
      if (now > percent) reporter.event('progress', { percent: now });
      percent = Math.max(percent, now);
    };
    const run = await runOnce(rehearsal, String(flags.seed + number), progress).catch((error: unknown) => {
      throw error instanceof RehearsalError ? new UserError(error.message, 2, { cause: error }) : error;
    });
    runs.push(run);
    onRun(run);
  }
  return runs;
}

/** Rehearses a rollout, and reports. @throws {UserError} for what is wrong, and when a condition holds */
export async function runRehearsal(flags: RehearseFlags, reporter: Reporter): Promise<void> {
  const failIf = flags['fail-if'];
  const conditions = failIf === undefined ? undefined : parseConditions(failIf);
  if (conditions && !conditions.ok) throw new UserError(`Option --fail-if: ${conditions.error}`, 2);
  if (flags.junit !== undefined && !conditions)
    throw new UserError('Option --junit is for --fail-if, which is missing', 2);
  const { assumed, rehearsal } = await readInput(flags);
  const others = flags.compare ? variantsOf(rehearsal) : [];
  const watch = { flags, reporter, parts: 1 + others.length };
  const runs = await runAll(rehearsal, { ...watch, part: 0, onRun: (run) => reporter.event('run', { ...run }) });
  const compared: Compared[] = [];
  for (const { rehearsal: other, settings } of others) {
    const spread = spreadsOf(await runAll(other, { ...watch, part: 1 + compared.length, onRun: () => {} }));
    compared.push({ settings, spread });
  }
  reporter.status('');
  const { rollout, version: bundle, devices } = rehearsal;
  const report = reportOf({ title: rollout.title, bundle, devices, assumed }, runs, compared);
  const { runs: _runs, ...summary } = report;
  reporter.event('report', summary, reportText(report));
  await write(flags.html, 'html', () => reportHtml(report));
  await write(flags.junit, 'junit', () => reportJunit(report, conditions?.value ?? []));
  const held = (conditions?.value ?? []).filter((condition) => failingRuns(condition, runs).length > 0);
  if (held.length > 0) {
    throw new UserError(`The rehearsal fails: ${held.map(({ text }) => text).join(', ')}`, conditionCode);
  }
}
