import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@moorage/base';
import { buildService } from '@moorage/service';
import { memoryBlobs } from '@moorage/service/engine/blobs/memory-blobs';
import { hashSecret } from '@moorage/service/engine/secrets';
import { openRecords } from '@moorage/service/tables';
import { fixtures, PostgresServer, testSettings } from '@moorage/service/testing/index';

// A service whose devices are activated at the data cloud. The argument says on which database, how many devices
// there are, and whether the listener has TLS. With a folder that is given what is there is kept.
const argument = JSON.parse(process.argv[2] ?? '{}') as {
  kind: 'sqlite' | 'postgres';
  devices: number;
  insecure: boolean;
  folder?: string;
  port?: number;
};
const { kind, devices, insecure, port = 0 } = argument;

const folder = argument.folder ?? mkdtempSync(join(tmpdir(), 'moorage-bench-'));
const server = kind === 'postgres' ? await PostgresServer.create() : undefined;
await server?.start();
const storage = await openRecords(server?.url() ?? `sqlite:${join(folder, 'moorage.db')}`);
const service = await buildService({
  settings: { ...testSettings, deviceInsecure: insecure },
  storage,
  blobs: memoryBlobs(realClock),
  logLevel: 'error',
  logStream: process.stderr,
});
const make = fixtures({ storage, blobs: memoryBlobs(realClock), clock: realClock });
const isNew = (await storage.db.selectFrom('devices').select('id').limit(1).execute()).length === 0;
const token = 'bench-token';
const capabilities = JSON.stringify({
  name: 'Bench',
  version: '1.0.0',
  streams: Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`s${index}`, { type: 'number' }])),
});
const certificates: { cert: string; key: string }[] = [];
const uuids: string[] = [];
const made = isNew ? { owner: await make.admin(), platform: await make.platform() } : undefined;
for (let index = 0; made && index < devices; index++) {
  const { owner, platform } = made;
  const uuid = index.toString(16).padStart(40, '0');
  const issued = insecure ? undefined : await service.identity.issueDeviceCertificate(uuid);
  const device = await make.device({
    platform_id: platform.id,
    product_id: platform.product_id,
    user_id: owner.id,
    uuid,
    state: 'active',
    certificate_fingerprint: issued?.fingerprint ?? null,
    provision_token_hash: hashSecret(token),
  });
  const activation = { device_id: device.id, user_id: owner.id, capabilities, activated_at: Date.now() };
  await storage.db.insertInto('activations').values(activation).execute();
  uuids.push(uuid);
  if (issued) certificates.push({ cert: issued.certificate, key: issued.key });
}
await service.devices.listen({ host: '127.0.0.1', port, backlog: 4_096 });
const address = service.devices.server.address();

process.stdin.resume().once('end', async () => {
  await service.close();
  await storage.close();
  await server?.stop();
  if (argument.folder === undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
console.log(
  JSON.stringify({
    port: typeof address === 'object' ? address?.port : 0,
    ca: service.identity.ca,
    server: service.identity.server,
    certificates,
    uuids,
    token,
  }),
);

// At a line on its input it lets go of all that is unreachable: then its memory is measured from outside.
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
process.stdin.on('data', () => {
  const collect = (globalThis as { gc?: Collect }).gc;
  for (let time = 0; time < 3; time++) collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
});
