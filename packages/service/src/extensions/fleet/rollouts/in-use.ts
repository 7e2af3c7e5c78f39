import { type Refusal, refusal } from '@moorage/api';
import { unwrap } from '@moorage/base';
import type { LeavingBundle } from '../../../core/bundles/hooks.ts';
import type { Work } from '../../../engine/db/work.ts';
import { pinsOf } from './hold-queries.ts';
import type { Lifecycle } from './lifecycle.ts';
import { lockRollout, rolloutsOfBundle } from './queries.ts';
import { goesOn } from './rules.ts';

/**
 * Why a bundle cannot be archived or trashed: rollouts that are not over bring it, which are aborted first where that is
 * wanted; or pins hold devices at it, which keep it as an archived one. Refusal: BUNDLE_IN_USE. Spec: API-RULE-rollout-8.
 */
export async function refuseInUse(
  work: Work,
  lifecycle: Pick<Lifecycle, 'trigger'>,
  { id, version, to, abortsRollouts }: LeavingBundle,
): Promise<Refusal | undefined> {
  const rollouts = await rolloutsOfBundle(work.db, id);
  if (rollouts.length > 0 && !abortsRollouts) {
    const named = rollouts.map(({ title, state }) => `rollout "${title}" (${state.replace('_', ' ')})`);
    return refusal('BUNDLE_IN_USE', { users: named.join(', ') });
  }
  for (const { id: rolloutId } of rollouts) {
    const rollout = await lockRollout(work, rolloutId);
    if (!rollout) continue;
    const trigger = goesOn(rollout) ? 'abort' : 'cancel';
    unwrap(await lifecycle.trigger(work, rollout, trigger, `bundle ${version} is ${to}`));
  }
  const pins = to === 'trashed' ? await pinsOf(work.db, id) : 0;
  return pins > 0 ? refusal('BUNDLE_IN_USE', { users: pins === 1 ? 'a pin' : `${pins} pins` }) : undefined;
}
