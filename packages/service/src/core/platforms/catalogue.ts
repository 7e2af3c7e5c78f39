import type { FirmwareRecord, FlavorRecord, PlatformRecord } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';
import type { Viewer } from '../access/viewer.ts';
import { allFirmware, allPlatforms, flavorsOfPlatforms } from './queries.ts';
import { firmwareRecord, flavorRecord, platformRecord } from './records.ts';

/** Everything that products and bundles are made from and that is open to the viewer. Reference: records 1.3, 1.5. */
export async function catalogue(
  db: Db,
  viewer: Viewer,
): Promise<{ platforms: PlatformRecord[]; flavors: FlavorRecord[]; firmwares: FirmwareRecord[] }> {
  const rows = await allPlatforms(db, viewer);
  const linked = await flavorsOfPlatforms(
    db,
    viewer,
    rows.map(({ id }) => id),
  );
  const { firmwares, files } = await allFirmware(db, viewer);
  const filesBy = Map.groupBy(files, ({ firmware_id }) => firmware_id);
  const flavorsBy = Map.groupBy(linked, ({ platform_id }) => platform_id);
  // A flavor of several platforms is linked several times.
  const flavors = [...new Map(linked.map((row) => [row.id, flavorRecord(row)])).values()];
  return {
    platforms: rows.map((row) => platformRecord(row, flavorsBy.get(row.id) ?? [])),
    flavors,
    firmwares: firmwares.map((row) => firmwareRecord(row, filesBy.get(row.id) ?? [])),
  };
}
