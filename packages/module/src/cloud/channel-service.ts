import type { ServiceAction } from '@moorage/api';
import { type CancelTimer, failure, success } from '@moorage/base';
import type { Interface } from '@moorage/net';
import type { BroadcastBoard } from '../services/broadcast.ts';
import type { NetworkService, RunningService } from '../services/service.ts';
import { Channel } from './channel.ts';
import type { CommandOutcome } from './channel-session.ts';
import type { EndReason } from './channel-table.ts';
import { TelemetryTimer, type TelemetryValues, telemetryOf } from './telemetry.ts';
import { UpdateWake, type WakeBoard } from './update-wake.ts';

/** What the message channel needs of the board. */
export interface ChannelBoard extends BroadcastBoard, Omit<WakeBoard, 'clock' | 'log' | 'random' | 'variables'> {
  execute(line: string): Promise<{ readonly code: number; readonly text: string }>;
}

/** How long telemetry waits for its answer; and how often a channel that stays open looks at the certificate; in ms. */
const telemetryTimeoutMs = 10_000;
const renewalCheckMs = 12 * 3_600_000;

/** Opened when any of the three asks for it. Spec: MOD-CHAN-open. */
const isWanted = ({ variables }: ChannelBoard): boolean =>
  // Spec: MOD-VAR-dms.auto_start_enabled, MOD-VAR-dms.cmd.enabled, MOD-VAR-dms.telemetry.interval.
  variables.get('dms.auto_start_enabled') ||
  variables.get('dms.cmd.enabled') ||
  variables.get('dms.telemetry.interval') > 0;

/** Sends telemetry now, with what an application adds. The error is a text. */
export function sendTelemetry(board: ChannelBoard, iface: Interface, added?: TelemetryValues) {
  const data = { ...telemetryOf(board, iface, added) };
  return board.link.request({ request: 'telemetry', data }, telemetryTimeoutMs);
}

/** The message channel while its interface is up. Reference: channel 1.1. */
export const channelService: NetworkService<ChannelBoard> = {
  name: 'message channel',
  spec: 'MOD-CHAN-open',
  // Spec: MOD-VAR-dms.interface.
  wanted: (board) => (isWanted(board) ? [board.wlan.interfaceOf(board.variables.get('dms.interface'))] : []),
  start: (board, iface) => new RunningChannel(board, iface),
};

class RunningChannel implements RunningService {
  readonly #board: ChannelBoard;
  readonly #wake: UpdateWake;
  readonly #telemetry: TelemetryTimer;
  readonly #channel: Channel;
  readonly #leave: readonly (() => void)[];
  #cancelCheck: CancelTimer = () => {};

  constructor(board: ChannelBoard, iface: Interface) {
    const { link, net, random } = board;
    this.#board = board;
    this.#wake = new UpdateWake(board);
    this.#telemetry = new TelemetryTimer(board, () => sendTelemetry(board, iface));
    this.#channel = new Channel({
      clock: board.hostClock ?? board.clock,
      ownClock: board.clock,
      net,
      random,
      target: () => link.channelTarget(),
      opened: () => this.#opened(),
      ended: (reason) => this.#ended(reason),
      command: (line) => this.#command(line),
      action: (action) => this.#act(action),
      stray: () => {},
    });
    this.#leave = [
      link.useChannel(this.#channel),
      link.onEvent((event) => {
        // The service no longer takes the certificate with which this channel has been opened.
        if (event.type === 'renewal' && !event.failed) this.#channel.renew();
      }),
    ];
  }

  stop(): void {
    const wasOpen = this.#channel.state === 'open';
    for (const leave of this.#leave) leave();
    this.#channel.stop();
    this.#telemetry.stop();
    this.#wake.stop();
    this.#cancelCheck();
    if (wasOpen) this.#board.link.tell({ type: 'channel', open: false, reason: 'lost' });
  }

  #opened(): void {
    const { link, variables } = this.#board;
    link.tell({ type: 'channel', open: true });
    this.#telemetry.open();
    this.#checkRenewal();
    // Whoever was away when the fleet was woken has missed it.
    if (variables.get('dms.auto_start_enabled')) this.#wake.wake();
  }

  #ended(reason: EndReason): void {
    this.#telemetry.closed();
    this.#cancelCheck();
    this.#board.link.tell({ type: 'channel', open: false, reason });
  }

  /** Spec: MOD-ID-renew. */
  #checkRenewal(): void {
    // The store may fail; the next look is soon enough.
    this.#board.link.renewIfDue().catch(() => {});
    this.#cancelCheck = this.#board.clock.after(renewalCheckMs, () => this.#checkRenewal());
  }

  /** Spec: MOD-CHAN-command, MOD-VAR-dms.cmd.enabled. */
  async #command(line: string): Promise<CommandOutcome> {
    if (!this.#board.variables.get('dms.cmd.enabled')) return failure('remote commands are not enabled');
    try {
      const { code, text } = await this.#board.execute(line);
      return success({ code, data: text });
    } catch {
      return failure('the command failed');
    }
  }

  /** Spec: MOD-CHAN-action. */
  #act(action: ServiceAction): void {
    if (action.action === 'ota') {
      if (this.#board.variables.get('dms.auto_start_enabled')) this.#wake.wake();
    } else if (action.action === 'command') {
      // Nobody waits for what it comes to.
      if (typeof action.command === 'string') void this.#command(action.command);
    } else {
      this.#board.link.act(action);
    }
  }
}
