import {
  type EndpointShape,
  grants,
  isBeyondProducts,
  isWithoutFactor,
  type Refusal,
  refusal,
  scopeOf,
  type TokenScope,
} from '@moorage/api';
import type { Caller } from '../core/types.ts';
import type { Db } from '../db/storage.ts';

type Limited = Pick<Caller, 'limits' | 'needsFactor'>;

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

/** The refusal of an endpoint to a token: those of `refuseScope`. */
export const refuseEndpoint = (shape: EndpointShape) => {
  const scope = scopeOf(shape);
  const leadsToFactor = isWithoutFactor(shape);
  return (caller: Limited): Refusal | undefined => refuseScope(caller, scope, leadsToFactor);
};

/** The refusal of another product than those of a token: TOKEN_PRODUCT. Spec: API-RULE-token-4. */
export const refuseProduct = (
  { limits }: Pick<Caller, 'limits'>,
  productId: string | undefined,
): Refusal | undefined =>
  limits?.productIds && !(productId !== undefined && limits.productIds.includes(productId))
    ? refusal('TOKEN_PRODUCT')
    : undefined;

/** What a name in a request is the id of; its row says which product it belongs to. */
const tables = {
  bundle_id: 'bundles',
  connector_id: 'connectors',
  segment_id: 'segments',
  rule_id: 'alert_rules',
  alert_id: 'alerts',
  rollout_id: 'rollouts',
} as const;

/** Names of one device; `device_ids` is those of several. */
const deviceNames = ['device_id', 'identifier', 'id'];

export interface LimitDeps {
  readonly db: Db;
  /** The product that a device follows, by any of its names. */
  readonly productOfDevice: (name: string) => Promise<string | undefined>;
}

/** A request, validated. */
export interface Named {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** The products that a request names; `undefined` stands for one that there is not. */
async function namedProducts({ db, productOfDevice }: LimitDeps, shape: EndpointShape, { params, query, body }: Named) {
  // Safe: parts of a request are objects, if they are there; uploads have no body here.
  const parts = [params, query, shape.body && 'binary' in shape.body ? undefined : body] as (object | undefined)[];
  const names = parts.flatMap((part) => Object.entries(part ?? {}));
  const found: (string | undefined)[] = [];
  for (const [name, value] of names) {
    if (name === 'device_ids') {
      // Safe: the contract has ids under this name.
      const ids = value as readonly string[];
      const rows = await db.selectFrom('devices').select('product_id').distinct().where('id', 'in', ids).execute();
      found.push(...rows.map(({ product_id }) => product_id ?? undefined));
    }
    if (typeof value !== 'string') continue;
    if (name === 'product_id') found.push(value);
    else if (deviceNames.includes(name)) found.push(await productOfDevice(value));
    else if (name in tables) {
      const table = tables[name as keyof typeof tables];
      const row = await db.selectFrom(table).select('product_id').where('id', '=', value).executeTakeFirst();
      found.push(row?.product_id);
    }
  }
  return found;
}

/**
 * Checks that a request is about products of its token alone: each that it names has to be one of them, and one that
 * names none is refused. The refusal is TOKEN_PRODUCT. Spec: API-RULE-token-4.
 */
export const openProductLimits =
  (deps: LimitDeps) =>
  (shape: EndpointShape) =>
  async (caller: Pick<Caller, 'limits'>, request: Named): Promise<Refusal | undefined> => {
    if (!caller.limits?.productIds || isBeyondProducts(shape)) return undefined;
    const products = await namedProducts(deps, shape, request);
    if (products.length === 0) return refusal('TOKEN_PRODUCT');
    for (const product of products) {
      const refused = refuseProduct(caller, product);
      if (refused) return refused;
    }
    return undefined;
  };
