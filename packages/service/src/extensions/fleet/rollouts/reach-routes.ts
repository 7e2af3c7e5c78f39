import { type BodyOf, type Reach, type Refusal, refusal, type rolloutsContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { allowedProduct } from '../../../core/access/products.ts';
import { type Call, type Handlers, handlers } from '../../../engine/http/types.ts';
import { fittingDevices } from './member-queries.ts';
import { fittingOf, outReasons } from './members.ts';
import { countReach, followedIn, gotIn, gotInstead, type Reached, readReach } from './reach.ts';
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
    found.map((device) => ({ device, got: gotIn(world, { ...device, pin: change === 'pin' ? pin : null }) })),
  );
}

/** The devices that a draft is for. */
async function ofRollout(
  deps: RolloutDeps,
  { devices, world }: Known,
  row: Parameters<typeof fittingOf>[2] & { readonly bundle_id: string },
): Promise<Reached[]> {
  const { db, expressions } = deps.storage;
  const fitting = await fittingOf(db, expressions, row, deps.clock.now(), fittingDevices);
  const outReason = await outReasons(db, row);
  const byId = new Map(devices.map((device) => [device.id, device]));
  return fitting.flatMap((fits) => {
    const device = byId.get(fits.id);
    if (!device) return [];
    const why = outReason(fits) ?? (world.isFrozen ? 'frozen' : undefined);
    return [{ device, got: why === undefined ? { to: row.bundle_id } : { out: why } }];
  });
}

type Draft = Parameters<typeof ofRollout>[2];

/** The devices that a change is about, and what each gets then. */
async function reachedBy(
  deps: RolloutDeps,
  known: Known,
  body: Change,
  draft: Draft | undefined,
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
      return draft ? success(await ofRollout(deps, known, draft)) : missing('rollout', body.change);
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
  const nowMs = deps.clock.now();
  const known = await readReach(db, product.value.id, nowMs);
  // What is named has to be there, whether the change takes it or not.
  const { bundle_id: bundleId, device_id: deviceId } = body;
  if (bundleId !== undefined && !known.world.versions.has(bundleId)) return wrongBundle(product.value.product);
  if (deviceId !== undefined && known.devices.every(({ id }) => id !== deviceId)) {
    return failure(refusal('NOT_FOUND', { what: 'Device' }));
  }
  const draft = body.rollout && (await draftOf(deps, db, product.value, { body: body.rollout, caller }));
  if (draft && !draft.ok) return draft;
  const reached = await reachedBy(deps, known, body, draft?.value.row);
  if (!reached.ok) return reached;
  const bytesOf = async (id: string) => (await deps.publishedBundle(db, product.value.id, id))?.bytes ?? 0;
  return success(await countReach(db, product.value.id, reached.value, known.world, { nowMs, bytesOf }));
}

/** What changes would do. */
export const reachRoutes = (deps: RolloutDeps) => handlers(deps, { reach }) satisfies Partial<Handlers<Contract>>;
