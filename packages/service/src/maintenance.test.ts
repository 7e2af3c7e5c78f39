import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { startMaintenance } from './maintenance.ts';
import { buildApp, eachDatabase } from './testing/index.ts';

const hourMs = 3_600_000;

eachDatabase('maintenance', (open) => {
  test('maintenance removes blobs that nothing refers to, and keeps the others', async () => {
    const app = await buildApp(await open());
    const user = await app.make.user();
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id });
    const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const bundle = await app.make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: user.id });
    const kept = await app.make.resource(Buffer.from('kept'), { bundle_id: bundle.id });
    const stray = await app.blobs.put(Readable.from([Buffer.from('stray')]), 100);
    await app.clock.advance(2 * hourMs);
    const stop = startMaintenance({ ...app.service.deps, expireUpdates: async () => {} });
    await app.clock.advance(hourMs);
    // Waits for the round that has begun.
    await stop();
    expect(await app.blobs.open(stray?.sha256 ?? '')).toBeUndefined();
    expect(await app.blobs.open(kept.sha256)).toBeDefined();
  });
});
