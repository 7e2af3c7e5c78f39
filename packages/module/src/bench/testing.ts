import { type Bench, type BenchOptions, openBench } from './bench.ts';

export { MemoryStore } from '@moorage/base/store/memory';
export { type Bench, type BenchOptions, ExpectationError, openBench } from './bench.ts';

/** Puts the transcript below what an error says, where every test runner shows it. */
function explain(error: unknown, transcript: string): unknown {
  if (!(error instanceof Error)) return error;
  const { message, stack } = error;
  const explained = `${message}\n\nTranscript, with seconds of module time:\n${transcript}\n`;
  // The stack begins with the message, and some runners print it alone.
  if (stack !== undefined) error.stack = stack.replace(message, () => explained);
  error.message = explained;
  return error;
}

/**
 * A test function for vitest, node:test and others of their kind: `test` gets a module of its own that has booted, and the
 * module is switched off afterwards. What the test throws has the transcript in its message.
 */
export const withModule =
  (test: (module: Bench) => unknown, options: BenchOptions = {}) =>
  async (): Promise<void> => {
    const bench = await openBench(options);
    try {
      await test(bench);
    } catch (error) {
      throw explain(error, String(bench.transcript));
    } finally {
      await bench.close();
    }
  };
