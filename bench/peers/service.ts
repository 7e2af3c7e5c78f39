import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binary, endpoint, ResultOk, resultOk } from '@moorage/api';
import { realClock, success } from '@moorage/base';
import { buildService } from '@moorage/service';
import { diskBlobs } from '@moorage/service/engine/blobs/backends/disk-blobs';
import { recordBlob } from '@moorage/service/engine/db/blob-records';
import { bearerCheck } from '@moorage/service/engine/http/bearer';
import { statusOf } from '@moorage/service/engine/http/errors';
import { mountContract } from '@moorage/service/engine/http/mount';
import { openRecords } from '@moorage/service/tables';
import { fixtures, PostgresServer, testSettings } from '@moorage/service/testing/index';
import type { ServiceData } from '../service-peer.ts';

// A service with data, in a process of its own. The argument says how much of what.
const { devices: deviceCount, clients, fileBytes, database } = JSON.parse(process.argv[2] ?? '{}') as ServiceData;

const folder = mkdtempSync(join(tmpdir(), 'moorage-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const server = database && (await PostgresServer.create());
await server?.start();
const storage = await openRecords(server?.url() ?? `sqlite:${join(folder, 'moorage.db')}`);
const blobs = await diskBlobs(join(folder, 'blobs'));
const service = await buildService({
  settings: testSettings,
  storage,
  blobs,
  logLevel: 'error',
  logStream: process.stderr,
});
// The API takes files of 10 MiB; this is the same road with a wider gate.
const uploadContract = {
  upload: endpoint({
    method: 'POST',
    path: '/bench/upload',
    spec: [],
    tag: 'Bench',
    summary: 'Takes a file',
    auth: 'bearer',
    body: binary(),
    reply: ResultOk,
    errors: [],
  }),
};
mountContract(
  service.api,
  uploadContract,
  {
    async upload({ upload }) {
      const stored = await upload.store({ maxBytes: 16 * 1024 * 1024 });
      if (!stored.ok) return stored;
      await storage.transaction((trx) => recordBlob(trx, stored.value.blob, Date.now(), null));
      await blobs.remove(stored.value.blob.sha256);
      return success(resultOk);
    },
  },
  { blobs, statusOf, authenticate: { bearer: bearerCheck(service.deps) } },
);
const make = fixtures({ storage, blobs, clock: realClock });

const admin = await make.admin();
const platform = await make.platform();
const product = await make.product({ platform_id: platform.id, user_id: admin.id });
const uuids = Array.from({ length: deviceCount }, (_, index) => index.toString(16).padStart(40, '0'));
const template = await make.device({ platform_id: platform.id, product_id: product.id, user_id: admin.id });
const { id: _id, ...fields } = template;
for (let from = 0; from < uuids.length; from += 500) {
  const rows = uuids.slice(from, from + 500).map((uuid, index) => ({
    ...fields,
    id: `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`,
    uuid,
    mac: null,
    bt_addr: null,
  }));
  await storage.db.insertInto('devices').values(rows).execute();
}
const certificates = await Promise.all(
  uuids.slice(0, clients).map(async (uuid) => {
    const issued = await service.identity.issueDeviceCertificate(uuid);
    const change = {
      certificate_fingerprint: issued.fingerprint,
      provision_status: 'complete',
      state: 'active',
    } as const;
    await storage.db.updateTable('devices').set(change).where('uuid', '=', uuid).execute();
    return { cert: issued.certificate, key: issued.key };
  }),
);
const firmware = await make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
const bundle = await make.bundle({
  product_id: product.id,
  firmware_id: firmware.id,
  user_id: admin.id,
  state: 'published',
  tag: 'release',
});
const content = Buffer.alloc(fileBytes, 'moorage');
const file = join(folder, 'file');
writeFileSync(file, content);
const resource = await make.resource(content, { bundle_id: bundle.id });
await service.api.listen({ host: '127.0.0.1', port: 0 });
await service.devices.listen({ host: '127.0.0.1', port: 0 });
const portOf = (address: unknown): number => (address as { port: number }).port;
console.log(
  JSON.stringify({
    api: portOf(service.api.server.address()),
    devices: portOf(service.devices.server.address()),
    token: admin.token,
    ca: service.identity.ca,
    server: service.identity.server,
    uuids,
    certificates,
    bundleId: bundle.id,
    uploadPath: '/bench/upload',
    updatePath: `/ota/${bundle.id}/${encodeURIComponent(resource.filename)}`,
    resourcePath: `/api/bundles/${bundle.id}/resources/${resource.id}/binary`,
    file,
  }),
);
// Ends in order when the benchmark closes our input, so that nothing of the server stays behind.
process.stdin.resume().once('end', async () => {
  await service.close();
  await storage.close();
  await server?.remove();
  process.exit(0);
});
