import { expect, it } from 'vitest';
import { buildApp, eachDatabase } from '../../../testing/index.ts';

const unused = '00000000-0000-4000-8000-000000000000';

// API-EP-GET-metrics-fleet, API-LIMIT-fleet
eachDatabase('the summary of a fleet', (open) => {
  it('counts devices by state, update and version, of those that the caller may see', async () => {
    const app = await buildApp(await open());
    const [owner, stranger, admin] = [await app.make.user(), await app.make.user(), await app.make.admin()];
    const platform = await app.make.platform();
    const product = await app.make.product({ platform_id: platform.id, user_id: owner.id });
    const firmware = await app.make.firmware({ platform_id: platform.id, flavor_id: platform.flavor.id });
    const bundle = await app.make.bundle({ product_id: product.id, firmware_id: firmware.id, user_id: owner.id });
    const bversion = (version: string) => `${product.product}-${version}, 2026-01-01T00:00:00Z, FW-1.0.0.0`;
    const on = { platform_id: platform.id, product_id: product.id };
    const devices = [
      await app.make.device({ ...on, state: 'active', bversion: bversion('1.0.0.0') }),
      await app.make.device({ ...on, state: 'active', bversion: bversion('1.0.0.0') }),
      await app.make.device({ ...on, state: 'disabled', bversion: bversion('2.0.0.0') }),
      await app.make.device({ ...on, state: 'enabled' }),
    ];
    await app.make.device({ platform_id: platform.id, product_id: platform.edition.id });
    for (const [index, state] of (['done', 'failed', 'offered'] as const).entries()) {
      const device = devices[index];
      if (!device) throw new Error('No device');
      const { id } = await app.storage.db
        .insertInto('updates')
        .values({
          device_id: device.id,
          product_id: product.id,
          cause: 'device',
          from_bundle_id: null,
          from_bversion: null,
          to_bundle_id: bundle.id,
          to_version: bundle.version,
          to_bversion: bversion(bundle.version),
          state,
          result: null,
          reason: null,
          created_at: 1,
          downloading_at: null,
          installed_at: null,
          finished_at: null,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await app.storage.db.updateTable('devices').set({ update_id: id }).where('id', '=', device.id).execute();
    }
    const summary = (token: string, product_id?: string) =>
      app.client.as(token).call('fleet.summary', { query: product_id === undefined ? {} : { product_id } });

    const own = { product_id: product.id, product: product.product };
    const expected = {
      total: 4,
      states: { active: 2, disabled: 1, enabled: 1 },
      health: { connected: 0, on_time: 0, late: 0, silent: 0, never: 3, blocked: 1 },
      standings: { up_to_date: 1, failed: 1, waiting: 1, updating: 0, unknown: 1 },
      versions: [
        { ...own, version: '1.0.0.0', devices: 2 },
        { ...own, version: expect.toBeOneOf(['2.0.0.0', null]), devices: 1 },
        { ...own, version: expect.toBeOneOf(['2.0.0.0', null]), devices: 1 },
      ],
    };
    expect(await summary(owner.token)).toMatchObject({ ok: true, value: { value: expected } });
    expect(await summary(stranger.token)).toMatchObject({ value: { value: { total: 0, versions: [] } } });
    expect(await summary(admin.token)).toMatchObject({ value: { value: { total: 5 } } });
    expect(await summary(admin.token, product.id.toUpperCase())).toMatchObject({ value: { value: { total: 4 } } });
    expect(await summary(admin.token, unused)).toMatchObject({ value: { value: { total: 0 } } });
    expect(await summary('nobody')).toMatchObject({ ok: false, error: { status: 401 } });
    expect(await summary(admin.token, 'nonsense')).toMatchObject({ ok: false, error: { status: 400 } });
  });
});
