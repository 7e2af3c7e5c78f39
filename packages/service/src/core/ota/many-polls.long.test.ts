import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import { otaWorld } from '../../testing/ota-world.ts';

eachDatabase('queries of many devices at once', (open, kind) => {
  it('share what they read, and each gets its own answer', async () => {
    const { productWithRelease, deviceOn, ask, app } = await otaWorld(await open());
    const made = [await productWithRelease(), await productWithRelease()];
    const devices = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const { product, release } = made[index % 2] ?? made[0] ?? { product: { id: '' }, release: undefined };
        return { device: await deviceOn(product.id), release };
      }),
    );
    const askAll = () =>
      Promise.all(devices.map(({ device, release }) => ask(device, { bid: release?.id, bversion: release?.bversion })));
    await askAll();
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const replies = await askAll();
    const count = statements.mock.calls.length;
    statements.mockRestore();
    const given = replies.map(({ result, bundle_id }) => ({ result, bundle_id }));
    expect(given).toEqual(devices.map(({ release }) => ({ result: 'none', bundle_id: release?.id })));
    // Each by itself would ask for its device, its update, its product's holds and bundles, and note that it was seen.
    if (kind === 'postgres') expect(count).toBeLessThan(devices.length);
    const seen = app.storage.db.selectFrom('devices').select('id').where('last_seen_at', 'is not', null);
    expect(await seen.execute()).toHaveLength(devices.length);
  });
});
