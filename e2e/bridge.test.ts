import { crc16, formatVersion, parseVersion, unwrap } from '@moorage/base';
import { fileFlags } from '@moorage/module/device/flash';
import { eachDatabase } from '@moorage/service/testing/index';
import { afterEach, expect, test } from 'vitest';
import { must } from '../packages/moorage/src/up/example.ts';
import { type Harbour, openHarbour } from './harbour.ts';

/** A file as the bridging host gets it listed. */
interface BridgedFile {
  readonly local: string;
  readonly url: string;
  readonly version: string;
  readonly type: number;
  readonly crc: number;
  readonly size: number;
}

/** The type of a main program: a board's own loader puts it into flash, no command of the line does. */
const programType = 0x81;

/**
 * What a phone does for a device without a network: fetches a file with the user's token, and hands it over. The wire
 * takes what commands may write; a program goes through the loader.
 */
async function carry({ module, service }: Harbour, token: string, file: BridgedFile): Promise<void> {
  const address = service.api.server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const headers = { authorization: `Bearer ${token}` };
  // Half of it, and the rest by range: as when the phone has gone out of reach in between.
  const half = Math.floor(file.size / 2);
  const parts = [`bytes=0-${half - 1}`, `bytes=${half}-`];
  const bytes: Uint8Array[] = [];
  for (const range of parts) {
    const reply = await fetch(`http://127.0.0.1:${port}${file.url}`, { headers: { ...headers, range } });
    expect(reply.status).toBe(206);
    bytes.push(await reply.bytes());
  }
  const content = Buffer.concat(bytes);
  expect(content).toHaveLength(file.size);
  expect(crc16(content)).toBe(file.crc);
  if (file.type === programType) {
    const { local: name, version, size } = file;
    const flags = fileFlags.executable | fileFlags.bootable;
    const program = { name, size, version: unwrap(parseVersion(version)), type: programType, flags, crc: file.crc };
    const writer = unwrap(await module.flash.create({ ...program, replace: true }));
    await writer.append(content);
    unwrap(await writer.finish());
    return;
  }
  // No command replaces a file: the old one goes first.
  if (module.flash.stat(file.local)) expect((await module.execute(`file_delete ${file.local}`)).code).toBe(0);
  const [type, crc] = [file.type.toString(16), file.crc.toString(16)];
  const line = `file_create ${file.local} ${file.size} ${file.version} ${type} ${crc}`;
  const { code } = await module.execute(line, content);
  expect(code, `${line}: ${module.log.entries().at(-1)}`).toBe(0);
}

eachDatabase('a device behind a bridging host', (open) => {
  let harbour: Harbour | undefined;
  afterEach(async () => {
    await harbour?.close();
    harbour = undefined;
  });

  // API-EP-POST-devices-device_id-ota, API-EP-POST-devices-device_id-ota-result
  test('is updated without a network of its own', async () => {
    harbour = await openHarbour(await open());
    const { client, module, product, bundle } = harbour;
    const { uuid } = module.identity;
    const body = { uuid, platform_id: product.platform_id, bt_addr: '02:00:00:00:00:b1' };
    const { id: device_id } = must(await client.call('devices.provision', { body }));
    const params = { device_id };
    must(await client.call('devices.activate', { params, body: { product_id: product.id } }));
    const { token } = must(await client.call('tokens.create', {}));

    const offer = must(await client.call('deviceUpdates.query', { params, body: {} }));
    if (offer.result !== 'update') throw new Error('There is no update');
    expect(offer).toMatchObject({ bundle_id: bundle.id, version: bundle.version, bversion: bundle.bversion });
    for (const file of offer.files) await carry(harbour, token, file);
    const states = async () =>
      must(await client.call('deviceUpdates.list', { params })).map(({ state, cause }) => [state, cause]);
    expect(await states()).toEqual([['downloading', 'bridge']]);
    for (const { local, version, size } of offer.files) {
      const held = module.flash.stat(local);
      expect(held).toMatchObject({ size });
      expect(held && formatVersion(held.version)).toBe(version);
    }

    must(await client.call('deviceUpdates.report', { params, body: { bundle_id: bundle.id } }));
    expect(await states()).toEqual([['done', 'bridge']]);
    const found = must(await client.call('devices.get', { params: { identifier: '02:00:00:00:00:B1' } }));
    expect(found).toMatchObject({ id: device_id, bundle_id: bundle.id, bundle_ok: true, bversion: bundle.bversion });
    const again = await client.call('deviceUpdates.query', { params, body: { bid: bundle.id } });
    expect(must(again)).toMatchObject({ result: 'none' });
    const counted = must(await client.call('bundles.get', { params: { bundle_id: bundle.id } }));
    expect(counted).toMatchObject({ device_count: 1, device_count_bundle_ok: 1 });
  });
});
