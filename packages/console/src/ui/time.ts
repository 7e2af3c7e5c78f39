/** Epoch milliseconds of the browser's clock. */
export const nowMs = (): number => Date.now();

/** Runs `work` after a while, in ms; the answer cancels it. */
export function after(delayMs: number, work: () => void): () => void {
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
}

/** Runs `work` again and again, in ms; the answer ends it. */
export function every(periodMs: number, work: () => void): () => void {
  const timer = setInterval(work, periodMs);
  return () => clearInterval(timer);
}
