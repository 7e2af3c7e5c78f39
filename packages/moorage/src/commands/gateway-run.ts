import { setFlagsFromString } from 'node:v8';
import type { Measured, OpenOptions } from '@moorage/gateway';
import { productNamed } from '../client/lookups.ts';
import { CallError, clientOptions, connect, type ServiceClient } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { stopOnSignal } from '../command-line/lifecycle.ts';
import type { Resolved } from '../command-line/options.ts';
import type { Reporter } from '../command-line/output.ts';
import { readGivenText } from '../files/given-file.ts';
import { checkProductCode } from '../gateway/make-product.ts';
import { checkAddress, reach, reachOptions, readReach } from '../gateway/reach-module.ts';
import type { Gateway, GatewaySettings } from '../gateway/run.ts';

/** What a gateway adopts when it starts, wherever it runs. */
export const adoptOptions = {
  ...reachOptions,
  adopt: {
    kind: 'text',
    placeholder: 'ADDRESS[,ADDRESS]',
    help: 'modules to adopt, at addresses as "moorage gateway find" shows them',
  },
  product: {
    kind: 'text',
    placeholder: 'PRODUCT',
    help: 'with --adopt: code or id of the product that they become devices of',
  },
  'make-product': {
    kind: 'text',
    placeholder: 'NAME',
    help: 'with --adopt: the same, made first where it is missing, with a platform for this hardware; asks for an administrator',
  },
  streams: {
    kind: 'text',
    placeholder: 'FILE',
    help: 'with --adopt: what they measure, a capabilities file with the command that reads each stream',
  },
} as const;

/** What a gateway is to adopt. */
interface Adoptions {
  readonly addresses: readonly string[];
  readonly product: string;
  readonly makesProduct: boolean;
  readonly measured: Measured | undefined;
  readonly way: OpenOptions;
}

/** What `adoptOptions` say, before anything is started. @throws {UserError} for what cannot be used */
export async function readAdoptions(options: Resolved<typeof adoptOptions>): Promise<Adoptions> {
  const { adopt = '', streams, 'make-product': made } = options;
  if (made !== undefined && options.product !== undefined)
    throw new UserError('Give either --product, of a product that is there, or --make-product', 2);
  if (made !== undefined) checkProductCode('Option --make-product', made);
  const makesProduct = made !== undefined;
  const product = made ?? options.product ?? '';
  const addresses = adopt.split(',').filter((address) => address !== '');
  for (const address of addresses) checkAddress('Option --adopt', address);
  if (addresses.length > 0 && product === '')
    throw new UserError(
      'Option --product or --make-product is missing: the product that the modules become devices of',
      2,
    );
  const way = readReach(options);
  return {
    addresses,
    product,
    makesProduct,
    measured: streams === undefined ? undefined : await readMeasured(streams),
    way,
  };
}

/** The service for adoptions; `undefined` without a login: modules that are adopted already need none. */
async function serviceIfKnown(login: () => Promise<ServiceClient>): Promise<ServiceClient | undefined> {
  try {
    return await login();
  } catch (error) {
    if (error instanceof UserError && error.exitCode === 2) throw error;
    return undefined;
  }
}

/** @throws {UserError} when the service says that there is no such product */
async function checkProduct(service: ServiceClient, product: string): Promise<void> {
  try {
    await productNamed(service, product, 'Option --product');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // A service that is away is none of its business: modules that are adopted already come back without it.
    if (error instanceof CallError && error.status !== 404) return;
    throw new UserError(error.message, 2, { cause: error });
  }
}

/**
 * Starts a gateway, and adopts what is asked for; with a login it reports what it finds to the service.
 *
 * @throws {UserError} when a module cannot be adopted; the gateway is stopped then
 */
export async function startGateway(
  settings: GatewaySettings,
  { addresses, product, makesProduct, measured, way }: Adoptions,
  reporter: Reporter,
  login: () => Promise<ServiceClient>,
): Promise<Gateway> {
  const service = await serviceIfKnown(login);
  if (service && addresses.length > 0 && !makesProduct) await checkProduct(service, product);
  const { Gateway } = await import('../gateway/run.ts');
  const gateway = new Gateway(settings, reporter, login);
  try {
    await gateway.start();
    for (const address of addresses)
      await gateway.adopt({ address, product, makesProduct, measured, open: () => reach(address, way) });
  } catch (error) {
    await gateway.stop();
    throw error;
  }
  if (service) gateway.reportFoundModules();
  return gateway;
}

async function readMeasured(path: string) {
  const { parseMeasured } = await import('@moorage/gateway');
  const measured = parseMeasured(await readGivenText(path, 'file of streams'));
  if (measured.ok) return measured.value;
  throw new UserError(`"${path}" is no file of streams: ${measured.error}`, 2);
}

export const gatewayRunCommand = defineCliCommand({
  name: 'run',
  parent: 'gateway',
  isDefault: true,
  summary: 'Stand for real modules at a service: each adopted one is a device there, with console and updates',
  options: {
    ...clientOptions,
    ...adoptOptions,
    service: {
      kind: 'text',
      placeholder: 'URL',
      help: 'device listener of the service, https://HOST:PORT',
      secret: false,
      defaultText: 'that of the last time',
    },
    data: {
      kind: 'text',
      placeholder: 'DIR',
      default: './gateway',
      help: 'folder with the identities, passwords and backups',
    },
    ip: { kind: 'ipv4', default: '0.0.0.0', placeholder: 'ADDRESS', help: 'address of this machine in their network' },
  },
  async run({ options, reporter }) {
    // Passwords and keys are of the user alone.
    process.umask(0o077);
    // Of many modules that mostly wait V8 collects what is over sooner than it takes more memory.
    setFlagsFromString('--optimize-for-size');
    const { data: folder, ip, service } = options;
    const login = () => connect(options);
    const gateway = await startGateway({ folder, ip, service }, await readAdoptions(options), reporter, login);
    stopOnSignal(() => gateway.stop());
    const modules = gateway.size;
    reporter.event('ready', { modules }, `The gateway stands for ${modules} module${modules === 1 ? '' : 's'}`);
  },
});
