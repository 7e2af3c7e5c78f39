import { attributesLimit, labelsLimit, type Refusal, type ReportedAttributes, refusal } from '@moorage/api';
import { failure, freeVersionKey, type Result, success } from '@moorage/base';

/** A value as it is compared: as a number, or part by part as a version of three or four parts. */
export interface Comparable {
  readonly number: number | null;
  readonly version_key: string | null;
}

/** What a text is beside a text. `1.2` is a number, `1.2.0` is a version. */
export function comparable(text: string): Comparable {
  const isNumber = /^-?\d{1,300}(\.\d+)?(e[+-]?\d{1,2})?$/i.test(text);
  return isNumber
    ? { number: Number(text), version_key: null }
    : { number: null, version_key: freeVersionKey(text) ?? null };
}

/** An attribute as it is kept. */
export interface Attribute extends Comparable {
  readonly name: string;
  readonly value: string;
  /** Epoch ms. */
  readonly since: number;
}

/** What a report changes: attributes to write, and names that are gone. */
export interface AttributeChanges {
  readonly put: readonly Attribute[];
  readonly drop: readonly string[];
}

/** What a report says that is not known yet; names beyond the limit are passed over. Spec: API-RULE-attributes-1. */
export function changesOf(
  known: ReadonlyMap<string, string>,
  reported: ReportedAttributes,
  atMs: number,
): AttributeChanges {
  const put: Attribute[] = [];
  const drop: string[] = [];
  for (const [name, value] of Object.entries(reported)) {
    if (value === null) {
      if (known.has(name)) drop.push(name);
    } else if (known.get(name) !== String(value)) {
      put.push({ name, value: String(value), ...comparable(String(value)), since: atMs });
    }
  }
  const room = attributesLimit - (known.size - drop.length);
  const added = put.filter(({ name }) => !known.has(name));
  const left = new Set(added.slice(Math.max(0, room)));
  return { put: put.filter((attribute) => !left.has(attribute)), drop };
}

/** The version in a version text, `<product>-<version>, …`; `undefined` when there is none. */
export const versionOf = (bversion: string): string | undefined =>
  /^[^,]*-(\d+(?:\.\d+){3})(?:,|$)/.exec(bversion)?.[1];

/** The version of a product in a version text that a device of it has reported; `undefined` in one of another product. */
export const runsOf = (bversion: string, product: string): string | undefined =>
  bversion.startsWith(`${product}-`) ? versionOf(bversion) : undefined;

/** Labels after a change, in which `null` removes one. Refusal: LIMIT_REACHED. Spec: API-RULE-labels-1. */
export function changedLabels(
  known: ReadonlyMap<string, string>,
  wanted: Readonly<Record<string, string | null>>,
): Result<ReadonlyMap<string, string>, Refusal> {
  const labels = new Map(known);
  for (const [name, value] of Object.entries(wanted)) {
    if (value === null) labels.delete(name);
    else labels.set(name, value);
  }
  if (labels.size <= labelsLimit) return success(labels);
  return failure(refusal('LIMIT_REACHED', { what: 'The device', limit: labelsLimit, things: 'labels' }));
}
