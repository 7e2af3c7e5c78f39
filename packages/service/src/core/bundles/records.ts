import type { BundleDetail, BundleRecord, ResourceRecord } from '@moorage/api';
import { formatCrc } from '../files/replies.ts';
import type { BundleView, ResourceRow } from './queries.ts';
import { formatBversion } from './rules.ts';

/** The record of a list. Spec: API-FIELD-bundle-*. */
export const bundleRecord = (row: BundleView): BundleRecord => ({
  id: row.id,
  user_id: row.user_id,
  firmware_id: row.firmware_id,
  product_id: row.product_id,
  state: row.state,
  tag: row.tag,
  version: row.version,
  created_at: String(row.created_at),
  part_number: row.part_number,
  description: row.description,
  remote_id: row.remote_id,
  remote_product: row.remote_product,
  firmware: `${row.firmware}-${row.firmware_version}`,
  device_count: row.device_count ?? 0,
  device_count_bundle_ok: row.device_count_bundle_ok ?? 0,
});

const resourceRecord = (row: ResourceRow): ResourceRecord => ({
  id: row.id,
  filename: row.filename,
  type: row.type,
  version: row.version,
  mime: row.mime,
  exclude: row.exclude === 1,
  size: row.size,
  crc: formatCrc(row.crc),
  created_at: String(row.created_at),
});

/** The record on creation and by detail. */
export const bundleDetail = (row: BundleView, resources: readonly ResourceRow[]): BundleDetail => ({
  ...bundleRecord(row),
  product: row.product,
  platform_id: row.platform_id,
  platform: row.platform,
  resources: resources.map(resourceRecord),
  bversion: formatBversion({
    product: row.product,
    version: row.version,
    createdAtMs: row.created_at,
    firmwareLabel: row.firmware,
    firmwareVersion: row.firmware_version,
  }),
});
