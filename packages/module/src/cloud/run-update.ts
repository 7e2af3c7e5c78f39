import type { Result } from '@moorage/base';
import type { Log } from '../device/log.ts';
import type { VariableStore } from '../variables/store.ts';
import type { Link, LinkFailure, OtaOptions, UpdateOutcome } from './link.ts';

/** What an update is run on. */
export interface UpdateBoard {
  readonly link: Link;
  readonly log: Log;
  readonly variables: Pick<VariableStore, 'get'>;
}

/** Runs an update and prints each file as it begins; the reboot is for the caller. Spec: MOD-CMD-ota. */
export async function runUpdate(
  { link, log, variables }: UpdateBoard,
  options: OtaOptions,
): Promise<Result<UpdateOutcome, LinkFailure>> {
  const unwatch = link.onEvent((event) => {
    if (event.type === 'progress' && event.receivedBytes === 0) log.say('updatingFile', { file: event.file });
  });
  try {
    // Spec: MOD-VAR-ota.bundle_id.
    return await link.update({ ...options, bundle: options.bundle ?? (variables.get('ota.bundle_id') || undefined) });
  } finally {
    unwatch();
  }
}
