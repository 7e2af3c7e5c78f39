import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { after, nowMs } from '../browser/time.ts';

/** How soon the service is looked for again while it is away, in ms. */
const lookMs = 2_000;

/** Under what the last attempt to begin the page anew is kept, so that it does not begin anew for ever, in ms. */
const anewKey = 'moorage.anew';
const anewMs = 30_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => after(ms, resolve));

const isThere = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Loads a part. While the service is away it waits. Browsers may remember that a file did not come, and an older build of
 * the console has files that are there no more: then the page begins anew, once.
 */
async function fetched<T>(part: () => Promise<T>): Promise<T> {
  try {
    return await part();
  } catch {
    while (!(await isThere())) await wait(lookMs);
    return part().catch((error: unknown) => {
      const last = Number(sessionStorage.getItem(anewKey) ?? 0);
      if (nowMs() - last < anewMs) throw error;
      sessionStorage.setItem(anewKey, String(nowMs()));
      window.location.reload();
      return new Promise<T>(() => {});
    });
  }
}

/** A part of the console that is loaded when it is first shown. */
export const lazyPart = <P extends object>(
  part: () => Promise<{ readonly default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> => lazy(() => fetched(part));
