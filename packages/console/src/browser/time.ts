/** Epoch milliseconds of the browser's clock. */
export const nowMs = (): number => Date.now();

/** Runs `work` after a while, in ms. Returns a function that cancels the timer. */
export function after(delayMs: number, work: () => void): () => void {
  const timer = setTimeout(work, delayMs);
  return () => clearTimeout(timer);
}

/** Runs `work` again and again, in ms. Returns a function that stops the timer. */
export function every(periodMs: number, work: () => void): () => void {
  const timer = setInterval(work, periodMs);
  return () => clearInterval(timer);
}
