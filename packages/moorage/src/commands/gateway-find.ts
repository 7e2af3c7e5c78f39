import type { FoundModule } from '@moorage/gateway';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { table } from '../command-line/table.ts';
import { addressForms, checkAddress } from '../gateway/reach-module.ts';

const yesNo = (known: boolean | undefined): string => (known === undefined ? '?' : known ? 'yes' : 'no');

/** Name, version and board; of a version line of another form all of it. */
const firmwareOf = ({ version = '?' }: FoundModule): string =>
  /^\S+?-\d+(?:\.\d+){3}(?=,)/.exec(version)?.[0] ?? version;

const row = (module: FoundModule): readonly (string | number)[] => {
  const { board = '?', mac = '?', uuid = '?', ssid = '', signalDbm = '', hasPassword, addresses } = module;
  return [firmwareOf(module), board, mac, uuid, ssid, signalDbm, yesNo(hasPassword), addresses.join(' ')];
};

const titles = ['FIRMWARE', 'BOARD', 'MAC', 'UUID', 'SSID', 'SIGNAL', 'PASSWORD', 'ADDRESS'];

export const gatewayFindCommand = defineCliCommand({
  name: 'find',
  parent: 'gateway',
  summary: 'Find real modules: by their broadcasts, by mDNS, and at addresses. Reads only',
  arguments: [
    {
      name: 'ADDRESS',
      help: addressForms,
      optional: true,
      many: true,
    },
  ],
  options: {
    ip: { kind: 'ipv4', default: '0.0.0.0', placeholder: 'ADDRESS', help: 'address of this machine in their network' },
    seconds: {
      kind: 'count',
      default: 12,
      placeholder: 'N',
      help: 'how long broadcasts are waited for; 0 only tries the addresses',
    },
    'broadcast-port': { kind: 'port', default: 55_555, placeholder: 'PORT', help: 'UDP port of the broadcasts' },
  },
  async run({ options, args, reporter }) {
    for (const address of args) checkAddress('Argument ADDRESS', address);
    const { find } = await import('@moorage/gateway');
    const { hostPorts } = await import('../gateway/host-ports.ts');
    const { ip, seconds } = options;
    const wanted = { addresses: args, listenMs: seconds * 1_000, broadcastPort: options['broadcast-port'] };
    const { modules, problems } = await find(hostPorts(ip), wanted);
    for (const module of modules) reporter.event('found', { ...module });
    for (const problem of problems) reporter.event('problem', { problem }, `  ${problem}`);
    const prose = modules.length === 0 ? '' : table(titles, modules.map(row));
    reporter.event('searched', { modules: modules.length }, prose);
    if (modules.length === 0) throw new UserError('No module was found', 1);
  },
});
