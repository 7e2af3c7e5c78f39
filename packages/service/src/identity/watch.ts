import { topics } from '../bus/topics.ts';
import type { Deps } from '../core/types.ts';
import type { Identity } from './identity.ts';

/** How often the authorities are compared with the records: a message may get lost, and a command sends none, in ms. */
const compareMs = 15_000;

/** Takes changes of the authorities that other processes make, until the returned function is called. */
export function watchIdentity(
  { storage, clock, log }: Pick<Deps, 'storage' | 'clock' | 'log'>,
  identity: Pick<Identity, 'refresh'>,
): () => Promise<void> {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancel = clock.after(compareMs, begin);

  function compare(): Promise<void> {
    const done = running.then(() => identity.refresh());
    running = done.catch((error: unknown) => log.error({ err: error }, 'The authorities could not be read'));
    return running;
  }

  function begin(): void {
    void compare().then(() => {
      if (!stopped) cancel = clock.after(compareMs, begin);
    });
  }

  const unsubscribe = storage.bus.subscribe(topics.authorityChanged, () => void compare());
  return async () => {
    stopped = true;
    unsubscribe();
    cancel();
    await running;
  };
}
