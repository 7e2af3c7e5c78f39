import { randomUUID } from 'node:crypto';
import { foundForMs, gatewaysLimit, type SeenModule } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { expect, it } from 'vitest';
import { outcome } from '../../testing/device-world.ts';
import { buildApp, eachDatabase } from '../../testing/index.ts';

const wall: SeenModule = {
  address: 'http://192.168.1.62:80',
  mac: '4C:55:CC:10:78:9B',
  version: 'Harbour-2.3.0.1, Built:2024 for Harbour.3',
  board: 'Harbour.3',
  ssid: 'harbour-open',
  signal: -61,
  has_password: false,
};

// API-RULE-gateways-1
eachDatabase('what gateways have found', (open) => {
  const scene = async () => {
    const app = await buildApp(await open());
    const [user, other] = [await app.make.user(), await app.make.user()];
    const [as, stranger] = [app.client.as(user.token), app.client.as(other.token)];
    const { id: platform_id } = await app.make.platform();
    const product = await app.make.product({ platform_id, user_id: user.id });
    const gateway_id = randomUUID();
    const report = (...modules: readonly SeenModule[]) =>
      as.call('gateways.report', { params: { gateway_id }, body: { gateway: 'cellar', modules: [...modules] } });
    const found = async (client = as) => unwrap(await client.call('gateways.found')).value;
    const ask = async (client = as) =>
      client.call('gateways.adopt', {
        params: { found_id: (await found())[0]?.id ?? randomUUID() },
        body: { product_id: product.id },
      });
    return { app, as, stranger, platform_id, product, gateway_id, report, found, ask };
  };

  // API-EP-PUT-user-gateways-gateway_id-found, API-EP-GET-user-found-modules
  it("is their user's alone, and what the last report has", async () => {
    const { app, found, report, stranger } = await scene();
    const protectedOne = { address: 'tcp:192.168.1.63:2000', has_password: true };
    expect(unwrap(await report(wall, protectedOne)).value).toEqual({ adopt: [] });
    expect(await found()).toMatchObject([
      { ...wall, gateway: 'cellar', product_id: null, product: null, problem: null },
      { ...protectedOne, mac: null, version: null, board: null, ssid: null, signal: null },
    ]);
    expect(await found(stranger)).toEqual([]);
    const [{ id } = { id: '' }] = await found();
    await app.clock.advance(10_000);
    unwrap(await report({ ...wall, signal: -70 }));
    expect(await found()).toMatchObject([{ id, signal: -70, seen_at: String(app.clock.now()) }]);
  });

  it('is not shown any more when the gateway is silent', async () => {
    const { app, found, report } = await scene();
    unwrap(await report(wall));
    await app.clock.advance(foundForMs + 1);
    expect(await found()).toEqual([]);
  });

  // API-EP-POST-user-found-modules-found_id-adopt
  it('is adopted by its gateway, which says what went wrong', async () => {
    const { ask, found, product, report } = await scene();
    unwrap(await report(wall));
    expect(unwrap(await ask()).value).toMatchObject({ product_id: product.id, product: product.product });
    const adopt = [{ address: wall.address, mac: wall.mac, product_id: product.id }];
    expect(unwrap(await report(wall)).value).toEqual({ adopt });
    // A gateway that was stopped meanwhile hears it again.
    expect(unwrap(await report(wall)).value).toEqual({ adopt });
    expect(unwrap(await report({ ...wall, problem: 'It does not answer' })).value).toEqual({ adopt: [] });
    expect(await found()).toMatchObject([{ product_id: null, problem: 'It does not answer' }]);
    expect(unwrap(await report(wall)).value).toEqual({ adopt: [] });
    expect(await found()).toMatchObject([{ problem: 'It does not answer' }]);
    expect(unwrap(await ask()).value).toMatchObject({ problem: null });
    expect(unwrap(await report(wall)).value).toEqual({ adopt });
    unwrap(await report());
    expect(await found()).toEqual([]);
  });

  it('is another module when another one has its address', async () => {
    const { ask, found, report } = await scene();
    unwrap(await report(wall));
    unwrap(await ask());
    expect(unwrap(await report({ ...wall, mac: '4C:55:CC:10:78:9C' })).value).toEqual({ adopt: [] });
    expect(await found()).toMatchObject([{ mac: '4C:55:CC:10:78:9C', product_id: null }]);
  });

  it('is adopted by nobody else, and for no product of others', async () => {
    const { app, as, ask, found, platform_id, report, stranger } = await scene();
    unwrap(await report(wall));
    expect(outcome(await ask(stranger))).toBe('NOT_FOUND');
    const foreign = await app.make.product({ platform_id });
    const params = { found_id: (await found())[0]?.id ?? '' };
    expect(outcome(await as.call('gateways.adopt', { params, body: { product_id: foreign.id } }))).toBe('NOT_FOUND');
    const gone = { params: { found_id: randomUUID() }, body: { product_id: foreign.id } };
    expect(outcome(await as.call('gateways.adopt', gone))).toBe('NOT_FOUND');
  });

  // API-LIMIT-gateways
  it('comes from at most 16 gateways, of which silent ones are forgotten', async () => {
    const { app, as, report } = await scene();
    const body = { gateway: 'x', modules: [{ address: 'http://192.168.1.62:80' }] };
    for (let number = 0; number < gatewaysLimit; number++)
      unwrap(await as.call('gateways.report', { params: { gateway_id: randomUUID() }, body }));
    expect(outcome(await report(wall))).toBe('LIMIT_REACHED');
    await app.clock.advance(3_600_001);
    expect(outcome(await report(wall))).toBe('ok');
  });
});
