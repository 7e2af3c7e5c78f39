import { ActivationTokenRecord, ProductRecord } from '@moorage/api';
import { recordFrom } from '../../engine/http/record-from.ts';
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
export const productRecord = (row: ProductView, caller: WhoCalls): ProductRecord =>
  recordFrom(ProductRecord, row, {
    state: visibleState(row),
    tag: tagOfRank(row.tag_rank ?? 0),
    version: row.newest_version,
    role: roleOf(row, caller),
    ...countsOf(row, caller),
  });

/** `token` is the whole value where it may be shown, else its tail. */
export const activationTokenRecord = (
  row: Omit<ActivationTokenRow, 'token_hash' | 'tail'>,
  user: string,
  token: string,
): ActivationTokenRecord => recordFrom(ActivationTokenRecord, row, { user, token });
