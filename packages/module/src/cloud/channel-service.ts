import { otaResults } from '@moorage/api';
import { failure, sleep, success } from '@moorage/base';
import type { CommandOutcome, DeviceChannel, DeviceClient } from '@moorage/device';
import type { Interface } from '@moorage/net';
import { statusObject } from '../services/broadcast.ts';
import type { NetworkService, ServiceParts } from '../services/service.ts';
import { runUpdate } from './run-update.ts';

/** What the message channel needs of the board. */
interface ChannelBoard extends ServiceParts {
  readonly client: DeviceClient;
  /** The turn of the commands of all sessions. */
  readonly queue: { run<T>(task: () => T | Promise<T>, waits?: boolean): T | Promise<T> | undefined };
  execute(
    line: string,
    data: undefined,
    caller: { readonly origin: 'remote' },
  ): Promise<{ readonly code: number; readonly text: string }>;
  reboot(): Promise<void>;
}

/** How long telemetry waits for its response, in ms. */
const telemetryTimeoutMs = 10_000;

/** Opened when any of the three asks for it. Spec: MOD-CHAN-open. */
const isWanted = ({ variables }: ChannelBoard): boolean =>
  // Spec: MOD-VAR-dms.auto_start_enabled, MOD-VAR-dms.cmd.enabled, MOD-VAR-dms.telemetry.interval.
  variables.get('dms.auto_start_enabled') ||
  variables.get('dms.cmd.enabled') ||
  variables.get('dms.telemetry.interval') > 0;

/** Values of one message that the service takes. */
const maxValues = 64;

type TelemetryValues = Readonly<Record<string, unknown>>;

/**
 * What a module reports of itself: what its status broadcast does, how long it runs (s), how much memory is in use (%),
 * and what an application adds. Spec: MOD-CHAN-telemetry.
 */
function telemetryOf(board: ServiceParts, iface: Interface, added: TelemetryValues = {}): TelemetryValues {
  const own = {
    uptime: Math.floor(board.rtc.uptimeMs() / 1000),
    memory: board.variables.get('system.memory.usage'),
    ...statusObject(board, iface),
  };
  const addedNames = Object.keys(added);
  // A long `broadcast.data` gives way to what an application adds.
  const room = maxValues - addedNames.length;
  return { ...Object.fromEntries(Object.entries(own).slice(0, Math.max(0, room))), ...added };
}

/** Sends telemetry now, with what an application adds. The error is a text. */
export function sendTelemetry(board: ChannelBoard, iface: Interface, added?: TelemetryValues) {
  const data = { ...telemetryOf(board, iface, added) };
  return board.client.channelRequest({ request: 'telemetry', data }, telemetryTimeoutMs);
}

/** The message channel while its interface is up. Reference: channel 1.1. */
export const channelService: NetworkService<ChannelBoard> = {
  name: 'message channel',
  spec: 'MOD-CHAN-open',
  // Spec: MOD-VAR-dms.interface.
  wanted: (board) => (isWanted(board) ? [board.wlan.interfaceOf(board.variables.get('dms.interface'))] : []),
  start: (board, iface) => openChannel(board, iface),
};

function openChannel(board: ChannelBoard, iface: Interface): DeviceChannel {
  const { client, clock, hostClock = clock, random, variables } = board;
  return client.openChannel({
    random,
    clock: hostClock,
    command: (line) => runCommand(board, line),
    updatesItself: () => variables.get('dms.auto_start_enabled'),
    update: (isWanted) => updateInTurn(board, isWanted),
    // Spec: MOD-VAR-dms.telemetry.interval.
    telemetry: {
      intervalMs: () => variables.get('dms.telemetry.interval'),
      onInterval: (listener) => variables.onChange('dms.telemetry.interval', listener),
      send: () => sendTelemetry(board, iface),
    },
  });
}

/** Spec: MOD-CHAN-command, MOD-VAR-dms.cmd.enabled. */
async function runCommand(board: ChannelBoard, line: string): Promise<CommandOutcome> {
  if (!board.variables.get('dms.cmd.enabled')) return failure('remote commands are not enabled');
  const { code, text } = await board.execute(line, undefined, { origin: 'remote' });
  return success({ code, data: text });
}

/** An update in the turn of a command, and its reboot in another one. Prints only what an update prints. Spec: MOD-CHAN-ota. */
async function updateInTurn(board: ChannelBoard, isWanted: () => boolean): ReturnType<typeof runUpdate> {
  const reboot = async () => {
    board.log.say('rebooting');
    await (board.queue.run(() => board.reboot()) ?? board.reboot());
  };
  const updated = await board.queue.run(async () => {
    if (!isWanted()) return success('none' as const);
    const outcome = await runUpdate(board, {});
    const isNow = board.client.restartWaitMs === 0;
    if (outcome.ok && outcome.value === 'installed' && isNow) await reboot();
    return outcome;
  }, true);
  if (updated?.ok && updated.value === 'installed' && board.client.restartWaitMs > 0) {
    // Commands go on meanwhile. A module that restarts before its window for another reason has the bundle then.
    await sleep(board.clock, board.client.restartWaitMs);
    if (isWanted()) await reboot();
  }
  return updated ?? failure({ result: otaResults.failed, message: 'Too many commands wait for their turn' });
}
