import { readFile } from 'node:fs/promises';
import { stopOnSignal } from '../lifecycle.ts';
import { clientOptions, connect } from '../service-client.ts';
import { defineCliCommand, UserError } from './define.ts';
import { reach, reachOptions } from './rescue.ts';

export const gatewayRunCommand = defineCliCommand({
  name: 'run',
  parent: 'gateway',
  isDefault: true,
  summary: 'Stand for real modules at a service: each adopted one is a device there, with console and updates',
  options: {
    ...clientOptions,
    ...reachOptions,
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
    ip: { kind: 'ipv4', default: '0.0.0.0', placeholder: 'ADDRESS', help: 'address of this machine in their network' },
  },
  async run({ options, reporter }) {
    const { adopt = '', baud, ca: caFile, data: folder, ip, password, product, service, user: username } = options;
    const addresses = adopt.split(',').filter((address) => address !== '');
    if (addresses.length > 0 && product === undefined)
      throw new UserError('Option --product is missing: the product that the modules become devices of', 2);
    // Passwords and keys are of the user alone.
    process.umask(0o077);
    const { Gateway } = await import('../run-gateway.ts');
    const gateway = new Gateway({ folder, ip, service }, reporter, () => connect(options));
    const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
    const credentials = {
      baud,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(ca !== undefined && { ca }),
    };
    try {
      await gateway.start();
      for (const address of addresses) {
        const open = () => reach(address, options);
        await gateway.adopt({ address, product: product ?? '', credentials, open });
      }
    } catch (error) {
      await gateway.stop();
      throw error;
    }
    stopOnSignal(() => gateway.stop());
    const modules = gateway.size;
    reporter.event('ready', { modules }, `The gateway stands for ${modules} module${modules === 1 ? '' : 's'}`);
  },
});
