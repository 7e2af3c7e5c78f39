import type { FirmwareRecord, FlavorRecord, PlatformDetail, PlatformRecord } from '@moorage/api';
import { formatCrc } from '../files/replies.ts';
import type { FirmwareFileRow, FirmwareRow, FlavorRow, PlatformRow } from './queries.ts';

/** The record of a flavor. Reference: records 1.3. */
export const flavorRecord = (row: FlavorRow): FlavorRecord => ({
  id: row.id,
  code: row.code,
  title: row.title,
  description: row.description,
  sdk: row.sdk === 1,
});

/** The record of a firmware with its files. Reference: records 1.3. */
export const firmwareRecord = (row: FirmwareRow, files: readonly FirmwareFileRow[]): FirmwareRecord => ({
  id: row.id,
  platform_id: row.platform_id,
  flavor_id: row.flavor_id,
  label: row.label,
  version: row.version,
  files: files.map((file) => ({
    id: file.id,
    filename: file.filename,
    type: file.type,
    version: file.version,
    mime: file.mime,
    size: file.size,
    crc: formatCrc(file.crc),
    created_at: String(file.created_at),
  })),
  created_at: String(row.created_at),
});

/** The record of a list. Reference: records 1.3. */
export const platformRecord = (row: PlatformRow, flavors: readonly FlavorRow[]): PlatformRecord => ({
  id: row.id,
  code: row.code,
  title: row.title,
  description: row.description,
  part_id: row.part_id,
  manufacturer: row.manufacturer,
  avatar_id: row.avatar_id,
  flavor_ids: flavors.map(({ id }) => id),
  product_id: row.product_id,
  created_at: String(row.created_at),
});

/** The record by detail: with flavors and firmware in full. */
export const platformDetail = (
  row: PlatformRow,
  flavors: readonly FlavorRow[],
  firmwares: readonly FirmwareRow[],
  files: readonly FirmwareFileRow[],
): PlatformDetail => ({
  ...platformRecord(row, flavors),
  flavors: flavors.map(flavorRecord),
  firmwares: firmwares.map((firmware) =>
    firmwareRecord(
      firmware,
      files.filter(({ firmware_id }) => firmware_id === firmware.id),
    ),
  ),
});
