import {
  type EndpointShape,
  grants,
  isBinary,
  type ProductField,
  type Refusal,
  refusal,
  scopeOf,
  type TokenScope,
} from '@moorage/api';
import { type Clock, dayMs } from '@moorage/base';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller } from '../../engine/http/types.ts';

type Limited = Pick<Caller, 'limits' | 'needsFactor' | 'provenAtMs'>;

/**
 * The refusal of what the scopes of a token leave out, TOKEN_SCOPE, and of all that a session may not do whose account
 * lacks the second factor that it needs, SECOND_FACTOR_NEEDED. Spec: API-RULE-token-3, API-RULE-factor-4.
 *
 * @param leadsToFactor such a session may do it
 */
export function refuseScope(
  { limits, needsFactor }: Limited,
  scope: TokenScope | undefined,
  leadsToFactor = false,
): Refusal | undefined {
  if (needsFactor && !leadsToFactor) return refusal('SECOND_FACTOR_NEEDED');
  return limits && scope && !grants(limits.scopes, scope) ? refusal('TOKEN_SCOPE', { scope }) : undefined;
}

/** The refusal of another product than those of a token: TOKEN_PRODUCT. Spec: API-RULE-token-4. */
export const refuseProduct = (
  { limits }: Pick<Caller, 'limits'>,
  productId: string | undefined,
): Refusal | undefined =>
  limits?.productIds && !(productId !== undefined && limits.productIds.includes(productId))
    ? refusal('TOKEN_PRODUCT')
    : undefined;

/** The table of what a field names, whose row says which product it belongs to; devices are found by any of their names. */
const tables = {
  product_id: 'products',
  bundle_id: 'bundles',
  connector_id: 'connectors',
  segment_id: 'segments',
  rule_id: 'alert_rules',
  alert_id: 'alerts',
  rollout_id: 'rollouts',
  device_id: 'devices',
  identifier: 'devices',
  id: 'devices',
  device_ids: 'devices',
} as const satisfies Record<ProductField, string>;

export interface LimitDeps {
  readonly db: Db;
  /** The product that a device follows, by any of its names. */
  readonly productOfDevice: (name: string) => Promise<string | undefined>;
}

/** A request, validated and reduced to its contract. */
export interface Named {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The products of what a field names; `undefined` stands for one that there is not. */
async function productsOf({ db, productOfDevice }: LimitDeps, field: ProductField, value: unknown) {
  if (field === 'product_id') return [value as string];
  if (field === 'device_ids') {
    // Safe: the contract has ids under this name.
    const ids = value as readonly string[];
    const rows = await db.selectFrom('devices').select('product_id').distinct().where('id', 'in', ids).execute();
    return rows.length === 0 ? [undefined] : rows.map(({ product_id }) => product_id ?? undefined);
  }
  // Safe: the contract has an id, or another name of one thing, under these.
  const name = value as string;
  const table = tables[field];
  if (table === 'devices') return [await productOfDevice(name)];
  const row = await db.selectFrom(table).select('product_id').where('id', '=', name).executeTakeFirst();
  return [row?.product_id];
}

/**
 * Checks that a request is about products of its token alone: each that it names has to be one of them, and one that
 * names none is refused, as the entry of its endpoint says. The refusal is TOKEN_PRODUCT. Spec: API-RULE-token-4.
 */
export const openProductLimits =
  (deps: LimitDeps) =>
  ({ limited = 'closed', body }: EndpointShape) =>
  async (caller: Pick<Caller, 'limits'>, request: Named): Promise<Refusal | undefined> => {
    if (!caller.limits?.productIds || limited === 'open') return undefined;
    const parts = [request.params, request.query, isBinary(body) ? undefined : request.body];
    let isNamed = false;
    for (const field of limited === 'closed' ? [] : limited) {
      for (const part of parts) {
        // Safe: the parts of a request are objects, where they are there.
        const value = (part as Readonly<Record<string, unknown>> | undefined)?.[field];
        if (value === undefined) continue;
        isNamed = true;
        for (const product of await productsOf(deps, field, value)) {
          const refused = refuseProduct(caller, product);
          if (refused) return refused;
        }
      }
    }
    return isNamed ? undefined : refusal('TOKEN_PRODUCT');
  };

/** How long a proof of who calls is fresh, in ms. Spec: API-RULE-proof-1. */
export const proofMs = 600_000;

/** Whether a caller has lately shown a password, a passkey or a code: a token alone never has. */
export const isProven = ({ provenAtMs = null }: Pick<Caller, 'provenAtMs'>, nowMs: number): boolean =>
  provenAtMs !== null && nowMs - provenAtMs < proofMs && nowMs >= provenAtMs;

/**
 * The refusal of a new token that would live longer than the one it is asked for with, without a fresh proof:
 * PROOF_NEEDED. Who may make tokens has one without limits, so it is the time alone that can be more. Spec: API-RULE-proof-1.
 *
 * @param days how long the new one is good; for good without it
 */
export function refuseLonger(
  caller: Pick<Caller, 'client' | 'expiresAtMs' | 'provenAtMs'>,
  days: number | undefined,
  nowMs: number,
): Refusal | undefined {
  const { client, expiresAtMs = null } = caller;
  // A login session ends by its age, whatever its row says.
  const outlives =
    client !== null || (expiresAtMs !== null && (days === undefined || nowMs + days * dayMs > expiresAtMs));
  return outlives && !isProven(caller, nowMs) ? refusal('PROOF_NEEDED') : undefined;
}

/** The refusal of an endpoint to a token: those of `refuseScope`, and PROOF_NEEDED. Spec: API-RULE-proof-1. */
export const endpointRefusals = (clock: Pick<Clock, 'now'>) => (shape: EndpointShape) => {
  const scope = scopeOf(shape);
  return (caller: Limited): Refusal | undefined => {
    const refused = refuseScope(caller, scope, shape.withoutFactor);
    if (refused || shape.proof !== 'always') return refused;
    return isProven(caller, clock.now()) ? undefined : refusal('PROOF_NEEDED');
  };
};
