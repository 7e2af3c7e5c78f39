import { setFlagsFromString } from 'node:v8';
import { readGivenText } from '../given-file.ts';
import { stopOnSignal } from '../lifecycle.ts';
import type { Resolved } from '../options.ts';
import type { Reporter } from '../output.ts';
import type { Gateway, GatewaySettings } from '../run-gateway.ts';
import { clientOptions, connect, type ServiceClient } from '../service-client.ts';
import { defineCliCommand, UserError } from './define.ts';
import { reach, reachOptions, readReach } from './reach-module.ts';

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
  streams: {
    kind: 'text',
    placeholder: 'FILE',
    help: 'with --adopt: what they measure, a capabilities file with the command that reads each stream',
  },
} as const;

/** Starts a gateway, and adopts what is asked for. @throws {UserError} when a module cannot be adopted; the gateway is stopped then */
export async function startGateway(
  settings: GatewaySettings,
  options: Resolved<typeof adoptOptions>,
  reporter: Reporter,
  login: () => Promise<ServiceClient>,
): Promise<Gateway> {
  const { adopt = '', product, streams: streamsFile } = options;
  const addresses = adopt.split(',').filter((address) => address !== '');
  if (addresses.length > 0 && product === undefined)
    throw new UserError('Option --product is missing: the product that the modules become devices of', 2);
  const way = readReach(options);
  const { Gateway } = await import('../run-gateway.ts');
  const measured = streamsFile === undefined ? undefined : await readMeasured(streamsFile);
  const gateway = new Gateway(settings, reporter, login);
  try {
    await gateway.start();
    for (const address of addresses) {
      await gateway.adopt({ address, product: product ?? '', measured, open: () => reach(address, way) });
    }
  } catch (error) {
    await gateway.stop();
    throw error;
  }
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
    const gateway = await startGateway({ folder, ip, service }, options, reporter, login);
    const hasLogin = await login().then(
      () => true,
      () => false,
    );
    if (hasLogin) gateway.reportFoundModules();
    stopOnSignal(() => gateway.stop());
    const modules = gateway.size;
    reporter.event('ready', { modules }, `The gateway stands for ${modules} module${modules === 1 ? '' : 's'}`);
  },
});
