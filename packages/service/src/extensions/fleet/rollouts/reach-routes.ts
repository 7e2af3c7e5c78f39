import { type BodyOf, type Reach, type Refusal, refusal, type rolloutsContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct } from '../../../core/access/products.ts';
import { type Call, type Handlers, handlers } from '../../../engine/http/types.ts';
import { checkSizes, fittingOf, membersOf } from './members.ts';
import type { RolloutRow } from './queries.ts';
import { countReach, followedIn, type Got, gotIn, gotInstead, type Reached, readReach } from './reach.ts';
import { draftOf, type RolloutDeps, wrongBundle } from './routes.ts';

type Contract = typeof rolloutsContract;
type Change = BodyOf<Contract['reach']>;
type Known = Awaited<ReturnType<typeof readReach>>;

const missing = (key: keyof Change, change: string): Result<never, Refusal> =>
  failure(refusal('INVALID_REQUEST', { detail: `${key} is needed for "${change}"` }, { source: 'body', keys: [key] }));

/** The devices that a tag, given to a bundle or taken off it, leads elsewhere. */
function ofTag({ devices, world }: Known, { change, tag, bundle_id: bundleId }: Change): Result<Reached[], Refusal> {
  if (bundleId === undefined) return missing('bundle_id', change);
  if (change === 'tag' && tag === undefined) return missing('tag', change);
  // A bundle has one tag, and a tag one bundle.
  const tags = new Map([...world.tags].filter(([name, id]) => id !== bundleId && name !== tag));
  if (change === 'tag' && tag !== undefined) tags.set(tag, bundleId);
  const after = { ...world, tags };
  return success(
    devices.flatMap((device) => {
      const to = followedIn(after, device);
      if (to === followedIn(world, device)) return [];
      // A rollout that is over lets go of those who follow a tag that moves.
      const free = { ...device, over: undefined };
      return [{ device, got: gotInstead(after, free, to) }];
    }),
  );
}

/** The device that a pin would hold, or that is let go. */
function ofPin({ devices, world }: Known, body: Change): Result<Reached[], Refusal> {
  const { change, device_id: id, bundle_id: pin = null } = body;
  if (id === undefined) return missing('device_id', change);
  if (change === 'pin' && pin === null) return missing('bundle_id', change);
  const found = devices.filter((device) => device.id === id);
  return success(
    found.map((device) => ({ device, got: gotIn(world, { ...device, pinned: change === 'pin' ? pin : null }) })),
  );
}

/** The refusal of a draft, which is a field of the body here. */
const inDraft = ({ validation, ...refused }: Refusal) =>
  failure({
    ...refused,
    ...(validation && { validation: { ...validation, keys: validation.keys.map((key) => `rollout.${key}`) } }),
  });

/** The devices that a draft is for. Refusal: INVALID_REQUEST when a stage is larger than the fleet. */
async function ofRollout(deps: RolloutDeps, { devices, world }: Known, row: RolloutRow) {
  const { db, expressions } = deps.storage;
  const fits = row.filter === null ? undefined : await fittingOf(db, expressions, row, world.nowMs);
  const ids = fits && new Set(fits.map(({ id }) => id));
  const fitting = ids ? devices.filter(({ id }) => ids.has(id)) : devices;
  const members = await membersOf(db, expressions, row, fitting, world.nowMs);
  const checked = checkSizes(row, members.devices.length);
  if (!checked.ok) return inDraft(checked.error);
  const got: Got = world.isFrozen ? { out: 'frozen' } : { to: row.bundle_id };
  // Safe: each device has its stage.
  const within = members.devices.map(
    (device, place): Reached => ({ device, got, stage: members.stages[place] as number }),
  );
  const without = [...members.out].flatMap(([out, list]) => list.map((device): Reached => ({ device, got: { out } })));
  return success([...within, ...without]);
}

/** The devices that a change is about, and what each gets then. */
async function reachedBy(
  deps: RolloutDeps,
  known: Known,
  body: Change,
  draft: RolloutRow | undefined,
): Promise<Result<readonly Reached[], Refusal>> {
  const { devices, world } = known;
  switch (body.change) {
    case 'tag':
    case 'untag':
      return ofTag(known, body);
    case 'pin':
    case 'unpin':
      return ofPin(known, body);
    case 'rollout':
      return draft ? ofRollout(deps, known, draft) : missing('rollout', body.change);
    default: {
      const after = { ...world, isFrozen: body.change === 'freeze' };
      return success(devices.map((device) => ({ device, got: gotIn(after, device) })));
    }
  }
}

/** API-EP-POST-products-product_id-reach. Spec: API-RULE-reach-1. */
async function reach(deps: RolloutDeps, call: Call<Contract['reach']>): Promise<Result<Reach, Refusal>> {
  const { db } = deps.storage;
  const { body, caller, params } = call;
  const product = await allowedProduct(db, params.product_id, caller, 'product.fleet');
  if (!product.ok) return product;
  const known = await readReach(db, product.value, deps.clock.now());
  // What is named has to be there, whether the change takes it or not.
  const { bundle_id: bundleId, device_id: deviceId } = body;
  if (bundleId !== undefined && !known.world.versions.has(bundleId)) return wrongBundle(product.value.product);
  if (deviceId !== undefined && known.devices.every(({ id }) => id !== deviceId)) {
    return failure(refusal('NOT_FOUND', { what: 'Device' }));
  }
  const draft = body.rollout && (await draftOf(deps, db, product.value, { body: body.rollout, caller }));
  if (draft && !draft.ok) return inDraft(draft.error);
  const reached = await reachedBy(deps, known, body, draft?.value);
  if (!reached.ok) return reached;
  const bytesOf = async (id: string) => (await deps.publishedBundle(db, product.value.id, id))?.bytes ?? 0;
  const settings = body.change === 'rollout' ? draft?.value.settings : undefined;
  return success(await countReach(reached.value, known.world, { settings, bytesOf }));
}

/** What changes would do. */
export const reachRoutes = (deps: RolloutDeps) => handlers(deps, { reach }) satisfies Partial<Handlers<Contract>>;
