import { FirmwareRecord, FlavorRecord, type PlatformDetail, PlatformRecord } from '@moorage/api';
import { recordFrom } from '../../engine/http/record-from.ts';
import { formatCrc } from '../files/replies.ts';
import type { FirmwareFileRow, FirmwareRow, FlavorRow, PlatformRow } from './queries.ts';

/** The record of a flavor. Reference: records 1.3. */
export const flavorRecord = (row: FlavorRow): FlavorRecord => recordFrom(FlavorRecord, row);

/** The record of a firmware with its files. Reference: records 1.3. */
export const firmwareRecord = (row: FirmwareRow, files: readonly FirmwareFileRow[]): FirmwareRecord =>
  recordFrom(FirmwareRecord, row, {
    files: files.map((file) => recordFrom(FirmwareRecord.properties.files.items, file, { crc: formatCrc(file.crc) })),
  });

/** The record of a list. Reference: records 1.3. */
export const platformRecord = (row: PlatformRow, flavors: readonly FlavorRow[]): PlatformRecord =>
  recordFrom(PlatformRecord, row, { flavor_ids: flavors.map(({ id }) => id) });

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
