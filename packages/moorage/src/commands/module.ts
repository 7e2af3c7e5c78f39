import { defineCliCommand, UserError } from '../command-line/define.ts';
import { stopOnSignal } from '../command-line/lifecycle.ts';
import type { Resolved } from '../command-line/options.ts';
import { openReporter, type Reporter } from '../command-line/output.ts';
import type { ModuleSettings } from '../module/run.ts';
import { lanOption } from './serve.ts';

/** Where the serial line of a module is to be had. */
export const serialOption = {
  kind: 'text',
  placeholder: 'pty[:LINK]|tcp:HOST:PORT|tcp-connect:HOST:PORT|rfc2217:HOST:PORT|tty:DEVICE[,BAUD]|stdio|none',
  help: 'the serial line, UART 0: a pseudo-terminal (LINK is a stable symlink to it), a TCP listener, a call to a TCP listener, one that speaks RFC 2217, a serial port of this machine, this terminal, or none',
} as const;

const timeOption = {
  kind: 'text',
  placeholder: 'real|RATIO|virtual',
  help: 'its clock: real time, so many times as fast, or jumping to whatever comes next',
} as const;

/** The serial line of a module when none is asked for. */
export const defaultSerial = (platform: NodeJS.Platform = process.platform): string =>
  platform === 'linux' ? 'pty' : 'tcp:127.0.0.1:0';

/** Settings that a module has wherever it is started. */
export const moduleOptions = {
  serial: { ...serialOption, default: 'pty' },
  serial1: {
    kind: 'text',
    default: 'none',
    placeholder: 'as for --serial, without stdio',
    help: 'UART 1, which bus.data_bus and bus.log_bus can name',
  },
  control: {
    kind: 'text',
    placeholder: 'HOST:PORT',
    help: 'a TCP port over which another program drives and watches pins and power: lines of JSON, or HTTP',
  },
  ip: { kind: 'ipv4', default: '127.0.0.1', placeholder: 'ADDRESS', help: 'host address of its network interfaces' },
  'port-offset': { kind: 'port', default: 8000, placeholder: 'N', help: 'added to the ports that the module opens' },
  model: { kind: 'text', placeholder: 'FILE', help: 'the board, as JSON: pins, flash sizes, limits' },
  air: { kind: 'text', placeholder: 'FILE', help: 'the radio surroundings, as JSON: access points' },
  personality: {
    kind: 'text',
    placeholder: 'FILE',
    help: 'names, texts, aliases and timings of the firmware, as JSON',
  },
  'cloud-prefix': {
    kind: 'text',
    placeholder: 'NAME',
    help: 'spelling of "cloud" in commands, variables and stream type',
  },
  strict: {
    kind: 'switch',
    help: 'refuse commands and variables that nobody has seen on a real module',
  },
  time: { ...timeOption, default: 'real' },
  timing: {
    kind: 'text',
    placeholder: 'real|none',
    defaultText: 'as the personality says',
    help: 'how long reboot, save, scan and join take: as on real modules, or no time',
  },
  seed: { kind: 'count', placeholder: 'N', help: 'seed of its identity and randomness (default: another each time)' },
  ...lanOption,
} as const;

/** Settings of `moorage module`. */
const options = {
  flash: {
    kind: 'text',
    placeholder: 'DIR',
    help: 'folder of its flash; without it, settings and files are lost at the end',
  },
  service: {
    kind: 'text',
    placeholder: 'URL',
    help: 'device listener of its service, https://HOST:PORT',
    secret: false,
  },
  from: { kind: 'text', placeholder: 'FILE', help: 'a rescue archive, whose module this one is the twin of' },
  ...moduleOptions,
  serial: { ...serialOption, defaultText: 'pty on Linux, else tcp:127.0.0.1:0; none with --script' },
  time: { ...timeOption, defaultText: 'real; virtual with --script, unless --service, --serial or --control is given' },
  script: {
    kind: 'text',
    placeholder: 'FILE',
    help: 'run a scenario script, or with "-" steps as they come on the standard input, and end: 0 when every case has passed, 1 when one has failed, 2 for a wrong script',
  },
  junit: { kind: 'text', placeholder: 'FILE', help: 'with --script: write the results as JUnit XML' },
} as const;

/** Names of a module's settings, as the code uses them. */
export const moduleSettings = (
  given: Resolved<typeof moduleOptions>,
  place: Pick<ModuleSettings, 'flash' | 'service' | 'from'>,
): ModuleSettings => ({
  flash: place.flash,
  service: place.service,
  from: place.from,
  serial: given.serial,
  serial1: given.serial1,
  control: given.control,
  ip: given.ip,
  portOffset: given['port-offset'],
  model: given.model,
  air: given.air,
  personality: given.personality,
  cloudPrefix: given['cloud-prefix'],
  strict: given.strict,
  time: given.time,
  timing: given.timing,
  seed: given.seed,
  listenLan: given['listen-lan'],
});

async function runScriptOf(given: Resolved<typeof options>, file: string, reporter: Reporter): Promise<void> {
  if (given.flash !== undefined) throw new UserError('Option --flash has no use with --script: its flash is blank', 2);
  if (given.from !== undefined)
    throw new UserError('Option --from has no use with --script: its module is a new one', 2);
  if (given.serial === 'stdio') throw new UserError('Option --serial cannot be stdio with --script', 2);
  const { serial = 'none' } = given;
  const isAlone =
    given.service === undefined && given.control === undefined && serial === 'none' && given.serial1 === 'none';
  const time = given.time ?? (isAlone ? 'virtual' : 'real');
  const settings = moduleSettings({ ...given, serial, time }, { flash: undefined, service: given.service });
  const { runScript, runSteps } = await import('../module/script.ts');
  if (file !== '-') return runScript({ file, junit: given.junit, settings }, reporter);
  if (given.junit !== undefined) throw new UserError('Option --junit has no use with steps from the standard input', 2);
  await runSteps(settings, process.stdin, reporter);
}

export const moduleCommand = defineCliCommand({
  name: 'module',
  summary: 'One virtual module',
  options,
  async run({ options: given, reporter, json }) {
    if (given.script !== undefined) return runScriptOf(given, given.script, reporter);
    if (given.junit !== undefined) throw new UserError('Option --junit is for scripts: --script is missing', 2);
    // Standard output is the serial line then: what we say ourselves goes beside it.
    const output = given.serial === 'stdio' ? openReporter(json, process.stderr) : reporter;
    const { startModule } = await import('../module/run.ts');
    const filled = { ...given, serial: given.serial ?? defaultSerial(), time: given.time ?? 'real' };
    const running = await startModule(moduleSettings(filled, given));
    const taken = await running.takenPorts();
    const { serial, serial1, control, http, terminal, mac, uuid } = running.addresses;
    stopOnSignal(() => running.stop());
    output.event(
      'ready',
      running.addresses,
      [
        `Module ${mac} (uuid ${uuid})`,
        ...(running.untaken.length === 0
          ? []
          : [`Variables that this twin does not have: ${running.untaken.join(', ')}`]),
        ...(serial === null ? [] : [`Serial line: ${serial}`]),
        ...(serial1 === null ? [] : [`Second serial line: ${serial1}`]),
        ...(http === null ? [] : [`Web page and REST API, once it has joined a network: ${http}`]),
        ...(taken.http === undefined ? [] : [`Web page and REST API: ${taken.http}`]),
        ...(terminal === null ? [] : [`Remote terminal, once it has joined a network: ${terminal}`]),
        ...(taken.terminal === undefined ? [] : [`Remote terminal: ${taken.terminal}`]),
        ...(control === null ? [] : [`Pin control: ${control}`]),
      ].join('\n'),
    );
  },
});
