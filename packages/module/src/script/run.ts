import { type Bench, type BenchOptions, openBench } from '../bench/bench.ts';
import type { Case, Step } from './parse.ts';

/** What has become of a case. */
export interface CaseResult {
  readonly name: string;
  /** The step that failed, and why; none when the case has passed. */
  readonly failed?: { readonly step: Step; readonly message: string };
  /** How long it took, in ms of module time. */
  readonly ms: number;
  readonly transcript: string;
}

/** Runs a case on a module of its own. Rejects when the bench cannot be made. */
export async function runCase({ name, steps }: Case, options: BenchOptions = {}): Promise<CaseResult> {
  const bench = await openBench(options);
  const failed = await runSteps(bench, steps);
  const { transcript } = bench;
  // Before it is closed: what that prints belongs to no step.
  const result = { name, ...(failed && { failed }), ms: transcript.ms, transcript: String(transcript) };
  await bench.close();
  return result;
}

/** The first step that fails. A pin that the board lacks, or a reset while the module sleeps, is a failure too. */
async function runSteps(bench: Bench, steps: readonly Step[]): Promise<CaseResult['failed']> {
  for (const step of steps) {
    try {
      await step.act(bench);
    } catch (error) {
      if (error instanceof Error) return { step, message: error.message };
      throw error;
    }
  }
  return undefined;
}
