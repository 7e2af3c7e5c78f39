import { repeat } from '@moorage/base';
import { topics } from '../../engine/bus/topics.ts';
import type { Deps } from '../../engine/http/types.ts';
import type { Identity } from './identity.ts';

/** How often the authorities are compared with the records: a message may get lost, and a command sends none, in ms. */
const compareMs = 15_000;

/** Takes changes of the authorities that other processes make, until the returned function is called. */
export function watchIdentity(
  { storage, clock, log }: Pick<Deps, 'storage' | 'clock' | 'log'>,
  identity: Pick<Identity, 'refresh'>,
): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  const onError = (error: unknown) => log.error({ err: error }, 'The authorities could not be read');

  function compare(): Promise<void> {
    running = running.then(() => identity.refresh()).catch(onError);
    return running;
  }

  const stop = repeat({ clock, pauseMs: compareMs, onError }, compare);
  const unsubscribe = storage.bus.subscribe(topics.authorityChanged, () => void compare());
  return async () => {
    unsubscribe();
    await stop();
    await running;
  };
}
