import type { PlatformDetail, ProductRecord } from '@moorage/api';
import { type ModuleIdentity, parseVersionLine } from '@moorage/gateway';
import { productNamed } from '../client/lookups.ts';
import { CallError, type ServiceClient } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';

/** What a code may have in it, and how long that of a platform is. */
const codeForm = /^[A-Za-z0-9_.-]{1,64}$/;
const maxPlatformCode = 32;

/** The edition of a platform that is made here. */
const flavor = { code: 'BASE', title: 'Base edition' };

/** @throws {UserError} for a name that cannot be the code of a product */
export function checkProductCode(option: string, name: string): void {
  if (!codeForm.test(name))
    throw new UserError(`${option} is "${name}", not 1 to 64 letters, digits, "_", "-" and "."`, 2);
}

/**
 * The product of that name for hardware such as a module is; what is missing of platform, flavor, firmware and product is made. Each
 * step that has been done before is left out, so that one that was cut goes on.
 */
export async function productFor(service: ServiceClient, name: string, module: ModuleIdentity): Promise<ProductRecord> {
  const existing = await productNamed(service, name).catch((error: unknown) => {
    if (!(error instanceof UserError) || error instanceof CallError) throw error;
    return undefined;
  });
  if (existing) return existing;
  const platform = await platformFor(service, module);
  const body = { title: name, code: name, meta: '', summary: '', description: '', platform_id: platform.id };
  return (await service.call('products.create', { body })).value;
}

async function platformFor(service: ServiceClient, { uuid, version: line }: ModuleIdentity): Promise<PlatformDetail> {
  const part_id = uuid.slice(0, 8).toLowerCase();
  const { board = '', version = /\d+(?:\.\d+){3}/.exec(line)?.[0] ?? '0.0.0.1' } = parseVersionLine(line);
  const all = await service.all((query) => service.call('platforms.list', { query }));
  const known = all.find((platform) => platform.part_id?.toLowerCase() === part_id);
  const title = board === '' ? `Hardware ${part_id}` : board.slice(0, 128);
  const wordsOfBoard = board.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').slice(0, maxPlatformCode - 9);
  const code = `${wordsOfBoard === '' ? 'MODULE' : wordsOfBoard}-${part_id}`;
  const id = known?.id ?? (await service.call('platforms.create', { body: { code, title, part_id } })).value.id;
  const params = { platform_id: id };
  const read = async (): Promise<PlatformDetail> => (await service.call('platforms.get', { params })).value;
  let platform = await read();
  if (platform.flavors.length === 0) await service.call('platforms.addFlavor', { params, body: flavor });
  platform = await read();
  const [first] = platform.flavors;
  // No command writes firmware: bundles are made upon one without files.
  if (platform.firmwares.length === 0 && first)
    await service.call('platforms.addFirmware', {
      params,
      body: { flavor_id: first.id, label: flavor.code, version, files: [] },
    });
  return platform;
}
