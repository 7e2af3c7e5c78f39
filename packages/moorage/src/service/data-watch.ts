import { stat } from 'node:fs/promises';
import type { CancelTimer, Clock } from '@moorage/base';
import type { Settings } from '@moorage/service/engine/settings/settings';

/** How often a running service looks whether its data is still where it was, in ms. */
const lookMs = 1_000;

/** What is at a path: a file system and a number in it. Nothing when there is nothing, or it cannot be reached. */
const identityOf = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );

/** Paths on this machine at which a service keeps its data: the file of the records, the folder of the files. */
export const dataPaths = ({ database, blobs }: Pick<Settings, 'database' | 'blobs'>): readonly string[] =>
  [/^sqlite:(?!:memory:)(.+)$/.exec(database)?.[1], /^file:(.+)$/.exec(blobs)?.[1]].filter(
    (path) => path !== undefined,
  );

/**
 * Looks after the data of a running service. A file that was deleted, or whose disk was unmounted, can still be written
 * by whoever has it open, and all of that is lost: the service has to stop.
 *
 * @param onGone called once, with the path at which the data is no more
 * @returns stops looking
 */
export async function watchData(
  paths: readonly string[],
  clock: Clock,
  onGone: (path: string) => void,
): Promise<CancelTimer> {
  const before = new Map<string, string | undefined>();
  for (const path of paths) before.set(path, await identityOf(path));
  let cancel: CancelTimer = () => {};
  let isStopped = false;
  const look = async (): Promise<void> => {
    for (const [path, identity] of before) {
      const isThere = (await identityOf(path)) === identity;
      if (isStopped) return;
      if (!isThere) return onGone(path);
    }
    next();
  };
  const next = () => {
    cancel = clock.after(lookMs, () => void look());
  };
  next();
  return () => {
    isStopped = true;
    cancel();
  };
}
