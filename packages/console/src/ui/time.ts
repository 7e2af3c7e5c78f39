/** Epoch milliseconds of the browser's clock. */
export const nowMs = (): number => Date.now();

/** Runs `work` after a while, in ms; the answer cancels it. */
export function after(delayMs: number, work: () => void): () => void {
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
}
