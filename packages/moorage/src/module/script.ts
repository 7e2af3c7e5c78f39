import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type Bench, type BenchOptions, openBench } from '@moorage/module/bench/bench';
import { junitOf } from '@moorage/module/script/junit';
import { type Case, parseScript, parseStep } from '@moorage/module/script/parse';
import { type CaseResult, runCase } from '@moorage/module/script/run';
import { nodeNet } from '@moorage/net/node';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { readGivenText } from '../files/given-file.ts';
import {
  checkPorts,
  clockOf,
  type ModuleSettings,
  NoSerialError,
  openControlOf,
  openSerials,
  readOptions,
} from './run.ts';

/** Settings of a script: those of a module; its flash is blank. */
type ScriptSettings = Omit<ModuleSettings, 'flash'>;

/** Seed of a module in a script: the same script is the same run. */
const usualSeed = 1;

async function readScript(file: string): Promise<readonly Case[]> {
  const cases = parseScript(await readGivenText(file, 'script'));
  if (!cases.ok) throw new UserError(`${file}:${cases.error}`, 2);
  return cases.value;
}

/** What others reach a module by, each time that it is switched on: `ready` is its addresses. */
const attaching =
  (settings: ScriptSettings, reporter: Reporter): NonNullable<BenchOptions['attach']> =>
  async (module) => {
    const serial = await openSerials(settings, module);
    if (!serial.ok) throw new NoSerialError(serial.error);
    const control = await openControlOf(settings, module);
    if (control && !control.ok) {
      await serial.value.close();
      throw new UserError(control.error);
    }
    reporter.event('ready', { ...serial.value.addresses, control: control?.value.address ?? null });
    return async () => {
      await control?.value.close();
      await serial.value.close();
    };
  };

/** In virtual time a module has a network of its own, with nothing on it; in real time that of this machine. */
function surroundings(settings: ScriptSettings, reporter: Reporter): Pick<BenchOptions, 'attach' | 'clock' | 'net'> {
  const { time, service, serial, serial1, control } = settings;
  if (time !== 'virtual') {
    return { clock: clockOf(time).clock, net: nodeNet(settings), attach: attaching(settings, reporter) };
  }
  if (service === undefined && serial === 'none' && serial1 === 'none' && control === undefined) return {};
  throw new UserError(
    'Option --time is "virtual": a script with --service, --serial, --serial1 or --control runs in real time',
    2,
  );
}

/** Settings of a script as what its benches are made of. @throws {UserError} for one that is wrong */
async function benchOptions(settings: ScriptSettings, reporter: Reporter): Promise<BenchOptions> {
  checkPorts(settings);
  const { seed = usualSeed } = settings;
  return { ...(await readOptions(settings)), ...surroundings(settings, reporter), seed };
}

/** Keeps the process while something runs: timers of real time do not by themselves. */
async function keptAlive<T>(run: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => {}, 60_000);
  try {
    return await run();
  } finally {
    clearInterval(alive);
  }
}

function report(file: string, { name, failed, ms, transcript }: CaseResult, reporter: Reporter): void {
  const took = `${(ms / 1000).toFixed(3)} s`;
  if (!failed) {
    reporter.event('case', { name, ok: true, ms }, `ok      ${name} (${took})`);
    return;
  }
  const { step, message } = failed;
  const prose = [`FAILED  ${name} (${took})`, `${file}:${step.line}: ${step.text}`, message, transcript];
  reporter.event('case', { name, ok: false, ms, line: step.line, message, transcript }, prose.join('\n'));
}

/** A script, where its report goes, and what its modules are. */
interface ScriptRun {
  readonly file: string;
  readonly junit?: string | undefined;
  readonly settings: ScriptSettings;
}

/**
 * Runs a scenario script, each case on a module of its own, and reports the results.
 *
 * @throws {UserError} with exit code 1 when a case has failed, and 2 for a script or settings that are wrong
 */
export async function runScript({ file, junit, settings }: ScriptRun, reporter: Reporter): Promise<void> {
  const cases = await readScript(file);
  const options = await benchOptions(settings, reporter);
  const results: CaseResult[] = [];
  await keptAlive(async () => {
    for (const one of cases) {
      const result = await runCase(one, options);
      results.push(result);
      report(file, result, reporter);
    }
  });
  const failed = results.filter((result) => result.failed).length;
  if (junit !== undefined) {
    await writeFile(junit, junitOf(file, results)).catch((error: Error) => {
      throw new UserError(`The report cannot be written: ${error.message}`, 1, { cause: error });
    });
  }
  reporter.event('script', { file, cases: results.length, failed });
  const total = `${results.length} ${results.length === 1 ? 'case' : 'cases'}`;
  if (failed > 0) throw new UserError(`${failed} of ${total} failed`);
  reporter.say(`${total} passed`);
}

/** What a step has come to, as an event. */
async function stepped(bench: Bench, line: string): Promise<Readonly<Record<string, unknown>>> {
  const act = parseStep(line);
  if (!act.ok) return { ok: false, message: act.error };
  try {
    const value = await act.value(bench);
    // A match is the list of its groups.
    return { ok: true, ...(value !== undefined && { value: Array.isArray(value) ? [...value] : value }) };
  } catch (error) {
    if (error instanceof Error) return { ok: false, message: error.message };
    throw error;
  }
}

/**
 * Runs steps as they come, for programs in other languages: each line is replied to by one event `step`. `case` begins
 * with another module, and so does the first step.
 *
 * @throws {UserError} for settings that are wrong
 */
export async function runSteps(
  settings: ScriptSettings,
  input: NodeJS.ReadableStream,
  reporter: Reporter,
): Promise<void> {
  const options = await benchOptions(settings, reporter);
  let bench: Bench | undefined;
  await keptAlive(async () => {
    for await (const line of createInterface({ input })) {
      const begins = /^\s*case\s/.test(line);
      if (begins) await bench?.close();
      if (begins || !bench) bench = await openBench(options);
      const outcome = begins ? { ok: true } : await stepped(bench, line);
      const { transcript } = bench;
      const prose = outcome.ok ? 'ok' : String((outcome as { readonly message: string }).message);
      reporter.event('step', { ...outcome, ms: transcript.ms, transcript: transcript.fresh() }, prose);
    }
    await bench?.close();
  });
}
