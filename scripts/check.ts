// Everything that CI checks beside the tests: one line per step, then what failed.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './support/project.ts';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

interface Outcome {
  readonly step: Step;
  readonly passed: boolean;
  readonly output: string;
  readonly elapsedMs: number;
}

const tool = (name: string, ...args: readonly string[]): [string, ...string[]] => [
  join(root, 'node_modules', '.bin', name),
  ...args,
];
const script = (name: string): [string, ...string[]] => [process.execPath, join(root, 'scripts', name)];

/** The steps know nothing of each other, so they run side by side. */
const steps: readonly Step[] = [
  { name: 'format and lint', command: tool('biome', 'ci', '--colors=off', '--diagnostic-level=warn', '.') },
  { name: 'types', command: tool('tsc', '-p', '.', '--pretty', 'false') },
  { name: 'types of the console', command: tool('tsc', '-p', 'packages/console', '--pretty', 'false') },
  { name: 'import boundaries', command: script('check-boundaries.ts') },
  { name: 'cycles', command: script('check-cycles.ts') },
  { name: 'unused results', command: script('check-results.ts') },
  { name: 'texts', command: script('check-texts.ts') },
  { name: 'tidy', command: script('check-tidy.ts') },
  { name: 'generated documents', command: script('check-generated.ts') },
  { name: 'spec coverage', command: script('spec-coverage.ts') },
];

function run(step: Step): Promise<Outcome> {
  const startMs = performance.now();
  const [file, ...args] = step.command;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    const finish = (passed: boolean, extra = '') =>
      resolve({
        step,
        passed,
        output: Buffer.concat(chunks).toString() + extra,
        elapsedMs: performance.now() - startMs,
      });
    child.on('error', (error) => finish(false, error.message));
    child.on('close', (code) => finish(code === 0));
  });
}

const outcomes = await Promise.all(
  steps.map(async (step) => {
    const outcome = await run(step);
    console.log(
      `${outcome.passed ? 'ok    ' : 'FAILED'} ${step.name.padEnd(20)} ${(outcome.elapsedMs / 1000).toFixed(1)} s`,
    );
    return outcome;
  }),
);
const failed = outcomes.filter(({ passed }) => !passed);
for (const { step, output } of failed) console.log(`\n--- ${step.name}\n${output.trimEnd()}`);
console.log(
  failed.length ? `\n${failed.length} of ${steps.length} checks failed` : `all ${steps.length} checks passed`,
);
process.exitCode = failed.length ? 1 : 0;
