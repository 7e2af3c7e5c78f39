import { type ProductRecord, type Refusal, refusal, type Tag, tags } from '@moorage/api';
import { codePart, failure, type Result, success, type Transition, transition } from '@moorage/base';
import { ownershipRoles, type ProductTies, type WhoCalls } from '../access/rules.ts';
import type { ViewingUser } from '../access/viewer.ts';

export type Publication = 'preview' | 'published' | 'archive';
export type PublicationTrigger = 'published' | 'archive';
export type Presence = 'active' | 'trash';

/** How far a product is public; changed by `PUT /api/products/{id}`. Spec: API-STATE-product-update. */
export const publicationTransitions: readonly Transition<'none' | Publication, 'create' | PublicationTrigger>[] = [
  { from: 'none', trigger: 'create', to: 'preview' }, // API-STATE-product-none-preview
  { from: 'preview', trigger: 'published', to: 'published' }, // API-STATE-product-preview-published
  { from: 'archive', trigger: 'published', to: 'published' }, // API-STATE-product-archive-published
  { from: 'preview', trigger: 'archive', to: 'archive' }, // API-STATE-product-preview-archive
  { from: 'published', trigger: 'archive', to: 'archive' }, // API-STATE-product-published-archive
];

/** Whether a product is there; changed by `POST /api/products/{id}/state` and DELETE. Spec: API-STATE-product-set. */
export const presenceTransitions: readonly Transition<Presence | 'gone', Presence | 'delete'>[] = [
  { from: 'active', trigger: 'trash', to: 'trash' }, // API-STATE-product-any-trash
  { from: 'trash', trigger: 'active', to: 'active' }, // API-STATE-product-trash-active
  { from: 'active', trigger: 'delete', to: 'gone' },
  { from: 'trash', trigger: 'delete', to: 'gone' },
];

/** What a product is when its state is asked to change. */
export interface ProductStatus {
  readonly product: string;
  readonly publication: Publication;
  readonly trashed: 0 | 1;
  /** How many devices are activated to it. */
  readonly deviceCount: number;
  /** A platform has it as its base edition, which new devices of the platform start on. */
  readonly baseEdition: boolean;
}

/** The one state that records show. */
export const visibleState = (row: { publication: Publication; trashed: number }): Publication | 'trash' =>
  row.trashed ? 'trash' : row.publication;

/**
 * The publication a product gets, or `undefined` when it has it already. Refusal: ILLEGAL_TRANSITION; a product in
 * trash has to be taken out first.
 */
export function changePublication(
  product: Pick<ProductStatus, 'publication' | 'trashed'>,
  wanted: PublicationTrigger,
): Result<Publication | undefined, Refusal> {
  const from = visibleState(product);
  if (from === wanted) return success(undefined);
  const to = from === 'trash' ? undefined : transition(publicationTransitions, from, wanted);
  if (to === undefined || to === 'none') {
    return failure(refusal('ILLEGAL_TRANSITION', { what: 'A product', from, to: wanted }));
  }
  return success(to);
}

/**
 * The presence a product gets, or `undefined` when it has it already.
 * Refusal: PRODUCT_IN_USE, for trash and deletion while something stands on the product.
 */
export function changePresence(
  product: ProductStatus,
  wanted: Presence | 'delete',
): Result<Presence | 'gone' | undefined, Refusal> {
  const from = product.trashed ? 'trash' : 'active';
  if (from === wanted) return success(undefined);
  const to = transition(presenceTransitions, from, wanted);
  if (to === undefined) {
    return failure(refusal('ILLEGAL_TRANSITION', { what: 'A product', from, to: wanted }));
  }
  if (to !== 'active' && product.deviceCount > 0) {
    const detail = `${product.deviceCount} activated ${product.deviceCount === 1 ? 'device' : 'devices'}`;
    return failure(refusal('PRODUCT_IN_USE', { product: product.product, detail }));
  }
  if (to !== 'active' && product.baseEdition) {
    return failure(refusal('PRODUCT_IN_USE', { product: product.product, detail: 'base edition of its platform' }));
  }
  return success(to);
}

/**
 * Why no production product may be made from a product; `undefined` when one may. Refusal: ILLEGAL_TRANSITION for
 * editions, for what is in production already, and for what is in trash. Spec: API-RULE-production-2.
 */
export function refuseProduction(product: {
  readonly production: 0 | 1;
  readonly edition: 0 | 1;
  readonly publication: Publication;
  readonly trashed: 0 | 1;
}): Refusal | undefined {
  const isDevelopment = !product.production && !product.edition && !product.trashed;
  if (isDevelopment) return undefined;
  const from = product.production ? 'production' : product.edition ? 'edition' : visibleState(product);
  return refusal('ILLEGAL_TRANSITION', { what: 'A product', from, to: 'production' });
}

/** Who is to own a product: a user or a customer. */
export interface NewOwner {
  readonly user_id: string | null;
  readonly customer_id: string | null;
}

/**
 * Why a caller who administers a product may not give it to another owner; `undefined` when they may. Refusals: FORBIDDEN
 * for what neither is theirs nor that of the customer that they are an owner of, but to administrators; ILLEGAL_TRANSITION
 * for a production product without a customer, and for editions. Spec: API-RULE-customer-2.
 */
export function refuseMove(
  caller: WhoCalls,
  product: { readonly production: 0 | 1; readonly edition: 0 | 1 },
  to: NewOwner,
): Refusal | undefined {
  const isTheirs = ownershipRoles(caller, to).includes('owner');
  if (!isTheirs && caller.role !== 'admin') return refusal('FORBIDDEN', { action: 'give products to others' });
  if (product.edition)
    return refusal('ILLEGAL_TRANSITION', { what: 'A product', from: 'edition', to: 'another owner' });
  if (!product.production || to.customer_id !== null) return undefined;
  return refusal('ILLEGAL_TRANSITION', { what: 'A product', from: 'production', to: 'a product of a user' });
}

/** A product's two codes. */
export interface ProductCodes {
  /** As sent, upper case. */
  readonly code: string;
  /** `<OWNER>-<PLATFORM>_<NAME>`. */
  readonly product: string;
}

/** Makes the codes of a product from its owner's name, its platform's code and the code sent. Spec: API-RULE-product-3. */
export function productCodes(owner: string, platformCode: string, code: string): ProductCodes {
  const short = codePart(code);
  const prefix = `${codePart(platformCode)}_`;
  const name = short.startsWith(prefix) ? short : prefix + short;
  return { code: short, product: `${codePart(owner)}-${name}` };
}

/**
 * The product that a device or bridging host names: the one with that full code, else the only one with that short
 * code among the nearest of `candidates`; `undefined` when there is none or the short code is ambiguous.
 *
 * @param candidates products that the caller may see and whose full or short code is `wanted`
 * @param distance how far a product is from the caller; without it all are as far
 */
export function matchProductCode<P extends ProductCodes>(
  candidates: readonly P[],
  wanted: string,
  distance: (candidate: P) => number = () => 0,
): P | undefined {
  const exact = candidates.find((candidate) => candidate.product === wanted);
  if (exact) return exact;
  const short = candidates.filter((candidate) => candidate.code === wanted);
  const least = Math.min(...short.map(distance));
  const nearest = short.filter((candidate) => distance(candidate) === least);
  return nearest.length === 1 ? nearest[0] : undefined;
}

/** How near to everybody a tag is: alpha 1, beta 2, release 3, none 0. */
export const tagRank = (tag: Tag | null): number => (tag === null ? 0 : tags.indexOf(tag) + 1);

/** The tag of a rank; `null` for 0. */
export const tagOfRank = (rank: number): Tag | null => tags[rank - 1] ?? null;

/** The viewer's role, as records show it. A customer's people are to what it owns what their role in it says. Reference: rules 5.1. */
export function roleOf(
  product: Pick<ProductTies, 'user_id' | 'customer_id' | 'membership'>,
  viewer: ViewingUser,
): ProductRecord['role'] {
  const [owning] = ownershipRoles(viewer, product);
  return owning === 'owner' ? owning : (product.membership ?? owning ?? 'none');
}

/** A platform's base edition, to be made as a product. Reference: model 1.1. */
export interface NewEdition extends ProductCodes {
  readonly title: string;
  readonly platformId: string;
  readonly flavorId: string;
  readonly userId: string;
  readonly atMs: number;
}

/** Whether a firmware or flavor fits: it is for the same platform and, where the product names one, the same flavor. */
export const fitsProduct = (
  product: { readonly platform_id: string; readonly flavor_id: string | null },
  firmware: { readonly platform_id: string; readonly flavor_id: string },
): boolean =>
  product.platform_id === firmware.platform_id &&
  (product.flavor_id === null || product.flavor_id === firmware.flavor_id);

/**
 * Codes of a platform's base edition product, `<MAKER>-<PLATFORM>_<EDITION>`. Reference: model 1.1. Its maker is the
 * platform's manufacturer, or the administrator who adds it when the platform names none.
 */
export const editionCodes = (
  platform: { readonly code: string; readonly manufacturer: string | null },
  flavorCode: string,
  administrator: string,
): ProductCodes => productCodes(platform.manufacturer || administrator, platform.code, flavorCode);
