import type { Result } from '@moorage/base';
import type { DeviceClient, OtaOptions, ServiceFailure, UpdateOutcome } from '@moorage/device';
import type { Log } from '../device/log.ts';
import type { VariableStore } from '../variables/store.ts';

/** What an update is run on. */
interface UpdateBoard {
  readonly client: DeviceClient;
  readonly log: Log;
  readonly variables: Pick<VariableStore, 'get'>;
}

/** Runs an update and prints each file as it begins; the reboot is for the caller. Spec: MOD-CMD-ota. */
export async function runUpdate(
  { client, log, variables }: UpdateBoard,
  options: OtaOptions,
  signal?: AbortSignal,
): Promise<Result<UpdateOutcome, ServiceFailure>> {
  const unwatch = client.onEvent((event) => {
    if (event.type === 'progress' && event.receivedBytes === 0) log.say('updatingFile', { file: event.file });
  });
  try {
    // Spec: MOD-VAR-ota.bundle_id.
    const bundle = options.bundle ?? (variables.get('ota.bundle_id') || undefined);
    return await client.update({ ...options, bundle }, signal);
  } finally {
    unwatch();
  }
}
