import type { ActivationTokenRecord, ProductRecord } from '@moorage/api';
import { may, productRoles, type WhoCalls } from '../access/rules.ts';
import type { ActivationTokenRow, ProductView } from './queries.ts';
import { roleOf, tagOfRank, visibleState } from './rules.ts';

/** How many devices and bundles a caller is shown: to outsiders what they do not see does not count. */
function countsOf(row: ProductView, caller: WhoCalls): Pick<ProductRecord, 'device_count' | 'bundle_count'> {
  const held = productRoles(caller, { ...row, ownsDevice: (row.own_device_count ?? 0) > 0 });
  if (may('bundle.read.all', held)) return { device_count: row.device_count ?? 0, bundle_count: row.bundle_count ?? 0 };
  return { device_count: row.own_device_count ?? 0, bundle_count: row.production ? 0 : (row.published_count ?? 0) };
}

/** The record of a product. Reference: records 1.2. */
export const productRecord = (row: ProductView, caller: WhoCalls): ProductRecord => ({
  id: row.id,
  title: row.title,
  code: row.code,
  product: row.product,
  meta: row.meta,
  summary: row.summary,
  description: row.description,
  user_id: row.user_id,
  user: row.user,
  customer_id: row.customer_id,
  customer: row.customer,
  platform_id: row.platform_id,
  platform: row.platform,
  flavor_id: row.flavor_id,
  flavor: row.flavor,
  firmware: row.firmware,
  firmware_version: row.firmware_version,
  state: visibleState(row),
  tag: tagOfRank(row.tag_rank ?? 0),
  version: row.newest_version,
  claimable: row.claimable === 1,
  production: row.production === 1,
  part_number: row.part_number,
  role: roleOf(row, caller),
  ...countsOf(row, caller),
  created_at: String(row.created_at),
  updated_at: String(row.updated_at),
});

/** `token` is the whole value where it may be shown, else its tail. */
export const activationTokenRecord = (
  row: Omit<ActivationTokenRow, 'token_hash' | 'tail'>,
  user: string,
  token: string,
): ActivationTokenRecord => ({
  id: row.id,
  product_id: row.product_id,
  token,
  uses_left: row.uses_left,
  user_id: row.user_id,
  user,
  created_at: String(row.created_at),
});
