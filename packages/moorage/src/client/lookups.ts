import { type BundleRecord, type ProductRecord, tags } from '@moorage/api';
import { isUuid } from '@moorage/base';
import { UserError } from '../command-line/define.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * The product of an argument: its id, its full code, or its code where no other has the same.
 *
 * @throws {UserError} when there is none, or more than one; `argument` says where it was named
 */
export async function productNamed(
  service: ServiceClient,
  name: string,
  argument = 'Argument PRODUCT',
): Promise<ProductRecord> {
  if (isUuid(name)) return (await service.call('products.get', { params: { product_id: name } })).value;
  const wanted = name.toUpperCase();
  const found = await service.all((query) => service.call('products.list', { query: { ...query, q: name } }));
  const exact = found.filter(({ product }) => product.toUpperCase() === wanted);
  const fitting = exact.length > 0 ? exact : found.filter(({ code }) => code === wanted);
  const [product, another] = fitting;
  if (!product) throw new UserError(`${argument} is "${name}": there is no such product`);
  if (another) {
    const codes = fitting.map((one) => one.product).join(', ');
    throw new UserError(`${argument} is "${name}", which several products are called: ${codes}`);
  }
  return product;
}

/**
 * The published bundle of a product: by its version, its tag or its id.
 *
 * @throws {UserError} when there is none; `argument` says in which argument it was named
 */
export async function bundleNamed(
  service: ServiceClient,
  product_id: string,
  name: string,
  argument: string,
): Promise<Pick<BundleRecord, 'id' | 'version'>> {
  if (isUuid(name)) return (await service.call('bundles.get', { params: { bundle_id: name } })).value;
  const tag = tags.find((one) => one === name);
  if (tag) return (await service.call('bundles.byTag', { params: { product_id, tag } })).value;
  const params = { product_id };
  const published = await service.all((query) =>
    service.call('bundles.list', { params, query: { ...query, state: 'published' } }),
  );
  const bundle = published.find(({ version }) => version === name);
  if (!bundle) throw new UserError(`${argument} is "${name}": the product has no published bundle of this version`);
  return bundle;
}
