import { createInterface } from 'node:readline';
import { CallError, clientOptions, connect, type ServiceClient } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';

/** Output of a device as a terminal may have it: lines stay lines, and nothing else steers it. */
const terminalText = (text: string): string =>
  text
    .replace(/\r\n/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '\ufffd')
    .trimEnd();

/** Where lines come from, and whether a person types them. */
interface ConsoleLines {
  readonly lines: AsyncIterable<string>;
  readonly isTerminal: boolean;
  readonly prompt: () => void;
}

/**
 * Runs each line on a device and prints its output. A person who types goes on after what failed; other input ends there.
 *
 * @throws {UserError} when a line of other input fails, and when the service refuses one
 */
export async function runConsole(
  service: ServiceClient,
  device_id: string,
  { lines, isTerminal, prompt }: ConsoleLines,
  reporter: Reporter,
): Promise<void> {
  prompt();
  for await (const line of lines) {
    const command = line.trim();
    if (isTerminal && command === 'exit') return;
    if (command !== '') {
      const failed = await runLine(service, device_id, command, reporter);
      if (failed && !isTerminal) throw failed;
      if (failed) reporter.event('refused', { command, message: failed.message }, failed.message);
    }
    prompt();
  }
}

async function runLine(
  service: ServiceClient,
  device_id: string,
  command: string,
  reporter: Reporter,
): Promise<UserError | undefined> {
  try {
    const { value } = await service.call('channel.command', { params: { device_id }, body: { command } });
    const { code, data } = value;
    const text = terminalText(data);
    reporter.event('output', { command, code, data }, text === '' ? undefined : text);
    return code === 0 ? undefined : new UserError(`"${command}" ended with code ${code}`);
  } catch (error) {
    if (error instanceof CallError) return error;
    throw error;
  }
}

export const consoleCommand = defineCliCommand({
  name: 'console',
  summary: 'The command line of a device in your terminal; lines of a pipe run one by one until one fails',
  arguments: [{ name: 'DEVICE', help: 'id, uuid, MAC or Bluetooth address' }],
  options: clientOptions,
  async run({ options, args: [device = ''], reporter, json }) {
    const service = await connect(options, [
      ['identifier', 'Argument DEVICE'],
      ['command', 'The line'],
    ]);
    // The first refusal is that of the device: before anything is typed.
    const { value } = await service.call('devices.get', { params: { identifier: device } });
    const isTerminal = process.stdin.isTTY === true && !json;
    if (isTerminal) reporter.say(`Command line of ${terminalText(value.title)}; "exit" or Ctrl-D leaves`);
    const lines = createInterface({
      input: process.stdin,
      ...(isTerminal && { output: process.stdout, prompt: '> ' }),
      terminal: isTerminal,
    });
    lines.on('SIGINT', () => lines.close());
    const prompt = isTerminal ? () => lines.prompt() : () => {};
    await runConsole(service, value.id, { lines, isTerminal, prompt }, reporter).finally(() => lines.close());
  },
});
