import { type BundleDetail, BundleRecord, ResourceRecord } from '@moorage/api';
import { recordFrom } from '../../engine/http/record-from.ts';
import { formatCrc } from '../files/replies.ts';
import type { BundleView, ResourceRow } from './queries.ts';
import { formatBversion } from './rules.ts';

/** The record of a list. Spec: API-FIELD-bundle-*. */
export const bundleRecord = (row: BundleView): BundleRecord =>
  recordFrom(BundleRecord, row, {
    firmware: `${row.firmware}-${row.firmware_version}`,
    device_count: row.device_count ?? 0,
    device_count_bundle_ok: row.device_count_bundle_ok ?? 0,
  });

const resourceRecord = (row: ResourceRow): ResourceRecord =>
  recordFrom(ResourceRecord, row, { crc: formatCrc(row.crc) });

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
