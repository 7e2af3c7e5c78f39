import type { Schema } from '../../../engine/db/schema.ts';

/** How the values of a field compare: as texts, as moments, or part by part as versions. */
export type FieldKind = 'text' | 'time' | 'version';

/** Where a field is: a column of the device, or of the one row of another table that the device leads to. */
type Place =
  | { readonly column: string }
  | { readonly table: keyof Schema; readonly key: string; readonly by: string; readonly column: string };

export type KnownField = { readonly kind: 'text' | 'time' } & Place;

const own = (kind: KnownField['kind'], column: string): KnownField => ({ kind, column });

/** The fields of a device by their names in filters, beside `attribute.NAME` and `label.NAME`. Reference: rules 6.2. */
export const knownFields = {
  id: own('text', 'id'),
  uuid: own('text', 'uuid'),
  title: own('text', 'title'),
  mac: own('text', 'mac'),
  ip: own('text', 'ip'),
  state: own('text', 'state'),
  tag: own('text', 'tag'),
  product: { kind: 'text', table: 'products', key: 'id', by: 'product_id', column: 'product' },
  platform: { kind: 'text', table: 'platforms', key: 'id', by: 'platform_id', column: 'code' },
  owner: { kind: 'text', table: 'users', key: 'id', by: 'user_id', column: 'username' },
  bundle: { kind: 'text', table: 'updates', key: 'id', by: 'update_id', column: 'to_version' },
  update: { kind: 'text', table: 'updates', key: 'id', by: 'update_id', column: 'state' },
  created: own('time', 'created_at'),
  claimed: own('time', 'claimed_at'),
  activated: own('time', 'activated_at'),
  last_seen: own('time', 'last_seen_at'),
  online: { kind: 'time', table: 'channels', key: 'device_id', by: 'id', column: 'connected_at' },
} as const satisfies Readonly<Record<string, KnownField>>;

export type FieldName = keyof typeof knownFields;

/** What records hide from those who may not see the private things of a device: to them it has no such value. */
export const privateFields: readonly FieldName[] = ['mac', 'ip'];

/** What a comparison looks at. */
export type Field =
  | { readonly in: 'device'; readonly name: FieldName; readonly kind: 'text' | 'time' }
  | { readonly in: 'attributes' | 'labels'; readonly name: string; readonly kind: 'text' | 'version' };

/** The field of a selector; `undefined` when there is none. `version` is the attribute of that name. */
export function fieldOf(selector: string): Field | undefined {
  if (selector === 'version' || selector === 'attribute.version') {
    return { in: 'attributes', name: 'version', kind: 'version' };
  }
  const dynamic = /^(attribute|label)\.([A-Za-z][A-Za-z0-9_.-]{0,63})$/.exec(selector);
  if (dynamic?.[2]) return { in: dynamic[1] === 'label' ? 'labels' : 'attributes', name: dynamic[2], kind: 'text' };
  if (!Object.hasOwn(knownFields, selector)) return undefined;
  // Safe: it is one of the keys.
  const name = selector as FieldName;
  return { in: 'device', name, kind: knownFields[name].kind };
}
