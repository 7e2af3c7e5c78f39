import { type BundleState, type Refusal, refusal, type Tag } from '@moorage/api';
import {
  failure,
  formatVersion,
  incrementVersion,
  type Result,
  success,
  type Transition,
  transition,
  type Version,
} from '@moorage/base';
import { isBlank, readVersion } from '../files/versions.ts';

export type BundleTrigger = BundleState | 'trash';

/** The state table of the specification; what has no row is refused. Spec: API-RULE-bundle-state-4. */
export const bundleTransitions: readonly Transition<'none' | BundleState | 'trash', 'create' | BundleTrigger>[] = [
  { from: 'none', trigger: 'create', to: 'preview' }, // API-STATE-bundle-none-preview, API-RULE-bundle-create-4
  { from: 'preview', trigger: 'published', to: 'published' }, // API-STATE-bundle-preview-published
  { from: 'preview', trigger: 'trash', to: 'trash' }, // API-STATE-bundle-preview-trash
  { from: 'archive', trigger: 'published', to: 'published' }, // API-STATE-bundle-archive-published
  { from: 'archive', trigger: 'trash', to: 'trash' }, // API-STATE-bundle-archive-trash
  { from: 'published', trigger: 'archive', to: 'archive' }, // API-STATE-bundle-published-archive
];

/** What a bundle is when its state is asked to change. */
export interface BundleStatus {
  readonly state: BundleState;
  readonly tag: Tag | null;
}

/**
 * The state a bundle gets, or `undefined` when it has it already and nothing changes.
 * Refusals: BUNDLE_TAGGED, ILLEGAL_TRANSITION.
 */
export function changeBundleState(
  bundle: BundleStatus,
  wanted: BundleTrigger,
): Result<BundleTrigger | undefined, Refusal> {
  if (wanted === bundle.state) return success(undefined); // API-RULE-bundle-1
  if (bundle.tag !== null) return failure(refusal('BUNDLE_TAGGED', { tag: bundle.tag })); // API-RULE-tag-2
  const to = transition(bundleTransitions, bundle.state, wanted);
  if (to === undefined || to === 'none') {
    return failure(refusal('ILLEGAL_TRANSITION', { what: 'A bundle', from: bundle.state, to: wanted }));
  }
  return success(to);
}

/**
 * The tag a bundle gets (`null` takes it off), or `undefined` when it has it already.
 * Refusal: BUNDLE_NOT_PUBLISHED, for any tag but the empty one. Spec: API-RULE-bundle-state-2, -3, API-RULE-tag-3.
 */
export function changeBundleTag(bundle: BundleStatus, wanted: Tag | ''): Result<Tag | null | undefined, Refusal> {
  const tag = wanted === '' ? null : wanted;
  if (tag !== null && bundle.state !== 'published') {
    return failure(refusal('BUNDLE_NOT_PUBLISHED', { state: bundle.state }));
  }
  return success(tag === bundle.tag ? undefined : tag);
}

/** Why resources may not be added and removed, if they may not: BUNDLE_FROZEN. Spec: API-RULE-bundle-state-1. */
export const refuseResourceChange = (state: BundleState): Refusal | undefined =>
  state === 'preview' ? undefined : refusal('BUNDLE_FROZEN', { state });

/** Version of a product's first bundle when none is asked for. Spec: API-RULE-bundle-3. */
const firstBundleVersion: Version = [0, 0, 0, 1];

/**
 * The version of a new bundle: the one asked for, or the successor of the highest existing one.
 * Whether an asked one is free is the query's to say. Refusals: INVALID_VERSION, VERSIONS_EXHAUSTED.
 *
 * @param wanted text of the request; blank or absent lets the service choose
 * @param highest highest version among the product's bundles
 */
export function chooseBundleVersion(
  wanted: string | null | undefined,
  highest: Version | undefined,
): Result<Version, Refusal> {
  if (!isBlank(wanted)) return readVersion(wanted);
  if (highest === undefined) return success(firstBundleVersion);
  const next = incrementVersion(highest); // API-RULE-bundle-create-3
  return next.ok ? next : failure(refusal('VERSIONS_EXHAUSTED', { version: formatVersion(highest) }));
}

/**
 * The version text that the module prints and sends back: full product code, bundle version, creation time in UTC,
 * firmware label and version. Spec: API-RULE-bundle-5, API-FIELD-bundle-bversion.
 */
export function formatBversion(bundle: {
  readonly product: string;
  readonly version: string;
  readonly createdAtMs: number;
  readonly firmwareLabel: string;
  readonly firmwareVersion: string;
}): string {
  const time = new Date(bundle.createdAtMs).toISOString().replace(/\.\d{3}Z$/, 'Z');
  return `${bundle.product}-${bundle.version}, ${time}, ${bundle.firmwareLabel}-${bundle.firmwareVersion}`;
}
