import { forms } from '@moorage/module/recorder/recording';
import { type CliCommand, defineCliCommand, UserError } from '../command-line/define.ts';
import { stopOnSignal } from '../command-line/lifecycle.ts';
import { wordOf } from '../command-line/words.ts';
import { defaultSerial, moduleOptions, moduleSettings, serialOption } from './module.ts';

const parent = 'module';

const fileArgument = { name: 'FILE', help: 'a recording, ours or one of pytest-reserial' };

const testOption = {
  kind: 'text',
  placeholder: 'NAME',
  help: 'the test of a file of pytest-reserial; its first one',
} as const;

/** Where the host is. */
const hostOption = {
  ...serialOption,
  placeholder: 'pty[:LINK]|tcp:HOST:PORT|tcp-connect:HOST:PORT|tty:DEVICE[,BAUD]|stdio',
  help: 'the line for the host, in the words of `moorage module`',
  defaultText: 'pty on Linux, else tcp:127.0.0.1:0',
} as const;

const recordCommand = defineCliCommand({
  name: 'record',
  parent,
  summary: 'Stand between a host and a module, real or virtual, and write what passes',
  arguments: [
    {
      name: 'DEVICE',
      help: "the module's line: a serial port such as /dev/ttyUSB0,115200, or tcp-connect:HOST:PORT",
    },
  ],
  options: {
    serial: hostOption,
    output: { kind: 'text', short: 'o', placeholder: 'FILE', help: 'the recording to write; it must not be there yet' },
    form: {
      kind: 'text',
      default: 'moorage',
      placeholder: forms.join('|'),
      help: 'JSON lines with times, or as pytest-reserial writes it',
    },
    'with-secrets': { kind: 'switch', help: 'keep passwords and keys in the recording' },
  },
  async run({ options: given, args: [device = ''], reporter }) {
    if (given.output === undefined) throw new UserError('Option --output is missing', 2);
    const form = wordOf(forms, given.form, 'Option --form') ?? 'moorage';
    const { startRecording } = await import('../module/recorder.ts');
    const serial = given.serial ?? defaultSerial();
    const withSecrets = given['with-secrets'];
    const recording = await startRecording({ device, serial, output: given.output, form, withSecrets });
    stopOnSignal(() => recording.close());
    reporter.event(
      'ready',
      { serial: recording.serial ?? null },
      `Recording what passes ${recording.serial ?? serial}`,
    );
  },
});

const replayCommand = defineCliCommand({
  name: 'replay',
  parent,
  summary: "Play the module's side of a recording and say where the host does otherwise",
  arguments: [fileArgument],
  options: { serial: hostOption, test: testOption },
  async run({ options: given, args: [file = ''], reporter }) {
    const { readExchanges, startReplay } = await import('../module/recorder.ts');
    const exchanges = await readExchanges(file, given.test);
    const replay = await startReplay(exchanges, given.serial ?? defaultSerial(), reporter);
    const stop = (): void => void replay.close();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    reporter.event(
      'ready',
      { serial: replay.serial ?? null },
      `Replaying ${exchanges.length} exchanges on ${replay.serial}`,
    );
    // What was written last has to arrive.
    const wrong = await replay.done;
    await replay.close();
    reporter.event(
      'replayed',
      { exchanges: exchanges.length, wrong },
      `${wrong} of ${exchanges.length} exchanges went otherwise`,
    );
    if (wrong > 0) process.exitCode = 1;
  },
});

const { serial: _serial, serial1: _serial1, control: _control, 'listen-lan': _lan, ip: _ip, ...traits } = moduleOptions;

const compareCommand = defineCliCommand({
  name: 'compare',
  parent,
  summary: 'Ask a virtual module what a recording has asked a real one, and list what differs: text, framing, timing',
  arguments: [fileArgument],
  options: { ...traits, test: testOption },
  async run({ options: given, args: [file = ''], reporter }) {
    const { compareWith, readExchanges, reportDifferences } = await import('../module/recorder.ts');
    const exchanges = await readExchanges(file, given.test);
    const settings = moduleSettings(
      { ...given, serial: 'none', serial1: 'none', control: undefined, 'listen-lan': false, ip: '127.0.0.1' },
      { flash: undefined, service: undefined, from: undefined },
    );
    const differences = await compareWith(exchanges, settings);
    reportDifferences(differences, exchanges.length, reporter);
    if (differences.length > 0) process.exitCode = 1;
  },
});

/** A recorder for serial lines, and what its recordings are for. */
export const moduleRecorderCommands: readonly CliCommand[] = [recordCommand, replayCommand, compareCommand];
