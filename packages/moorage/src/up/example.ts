import type { BundleDetail, CallFailure, Client, PlatformDetail, ProductRecord } from '@moorage/api';
import type { Result } from '@moorage/base';
import { UserError } from '../command-line/define.ts';
import { bundleFiles, firmwareFiles } from './example-files.ts';

/** What the first start leaves in the service, ready for a module to be activated to. */
export interface Example {
  readonly platform: PlatformDetail;
  readonly product: ProductRecord;
  /** Published, and tagged `release`. */
  readonly bundle: BundleDetail;
}

const platformCode = 'BERTH1';
const flavorCode = 'W';
const productCode = 'TIDE_GAUGE';
const firmwareVersion = '2.3.0.1';
const bundleVersion = '1.0.0.0';

/** The value of a call that must work here; the service's own words when it does not. */
export function must<T>(result: Result<{ readonly value: T }, CallFailure>): T {
  if (result.ok) return result.value.value;
  const { status, body } = result.error;
  throw new UserError(`The example cannot be made: the service answered ${status}, ${body.message}`);
}

/**
 * Makes the example platform, product and bundle, or what is missing of them: a start that was cut is taken up where
 * it was. Also the state in which it leaves off is one that users may change; what is there is never changed back.
 *
 * @param partId first eight digits of the hardware uuids of the modules that the platform is for
 */
export async function ensureExample(client: Client, partId: string): Promise<Example> {
  const platform = await ensurePlatform(client, partId);
  const product = await ensureProduct(client, platform.id);
  return { platform, product, bundle: await ensureBundle(client, platform, product) };
}

async function ensurePlatform(client: Client, partId: string): Promise<PlatformDetail> {
  const known = must(await client.call('platforms.list', { query: { q: platformCode } }));
  let id = known.find((platform) => platform.code === platformCode)?.id;
  id ??= must(
    await client.call('platforms.create', {
      body: {
        code: platformCode,
        title: 'Berth 1',
        description: 'The board that virtual modules emulate.',
        part_id: partId,
        manufacturer: 'MOORAGE',
      },
    }),
  ).id;
  const params = { platform_id: id };
  let platform = must(await client.call('platforms.get', { params }));
  if (platform.flavors.length === 0) {
    must(await client.call('platforms.addFlavor', { params, body: { code: flavorCode, title: 'Base edition' } }));
    platform = must(await client.call('platforms.get', { params }));
  }
  const flavor = platform.flavors[0];
  if (flavor && platform.firmwares.length === 0) {
    const files = [...firmwareFiles(firmwareVersion)];
    const body = { flavor_id: flavor.id, label: flavorCode, version: firmwareVersion, files };
    must(await client.call('platforms.addFirmware', { params, body }));
    platform = must(await client.call('platforms.get', { params }));
  }
  return platform;
}

async function ensureProduct(client: Client, platformId: string): Promise<ProductRecord> {
  // Its devices are no example: they stay on a production product for good.
  const query = { q: productCode, platform_id: platformId, production: false };
  const known = must(await client.call('products.list', { query }));
  const found = known.find((product) => product.code.endsWith(productCode));
  if (found) return found;
  const body = {
    title: 'Tide gauge',
    code: productCode,
    meta: '',
    summary: 'An example product',
    description: '# Tide gauge\n\nAn example: it knows a year of tides, and learns them over the air.\n',
    platform_id: platformId,
  };
  return must(await client.call('products.create', { body }));
}

async function ensureBundle(client: Client, platform: PlatformDetail, product: ProductRecord): Promise<BundleDetail> {
  const params = { product_id: product.id };
  const released = await client.call('bundles.byTag', { params: { ...params, tag: 'release' } });
  if (released.ok) return released.value.value;
  const bundles = must(await client.call('bundles.list', { params, query: { limit: 500 } }));
  const firmware = platform.firmwares[0];
  if (!firmware) throw new Error(`Platform ${platform.code} has no firmware`);
  const begun = bundles.find((bundle) => bundle.version === bundleVersion);
  const body = { product_id: product.id, firmware_id: firmware.id, version: bundleVersion };
  const id = begun?.id ?? must(await client.call('bundles.create', { params, body })).id;
  const bundle = must(await client.call('bundles.get', { params: { bundle_id: id } }));
  if (bundle.state === 'preview') await fillAndPublish(client, bundle);
  must(await client.call('bundles.setTag', { params: { bundle_id: id }, body: { tag: 'release' } }));
  return must(await client.call('bundles.get', { params: { bundle_id: id } }));
}

async function fillAndPublish(client: Client, bundle: BundleDetail): Promise<void> {
  const params = { bundle_id: bundle.id };
  const there = new Set(bundle.resources.map((resource) => resource.filename));
  for (const file of bundleFiles(bundleVersion)) {
    if (!there.has(file.filename)) must(await client.call('bundles.addResource', { params, body: file }));
  }
  must(await client.call('bundles.setState', { params, body: { state: 'published' } }));
}
