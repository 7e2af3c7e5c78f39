import { ComeBack, type ReportedAttributes, type ServiceAction } from '@moorage/api';
import { type CancelTimer, type Clock, failure, hourMs, ignoreFailure, type Random, type Result } from '@moorage/base';
import Value from 'typebox/value';
import type { DeviceEvent, DeviceEventListener, EndReason } from '../events.ts';
import { UpdateWake, type WakePorts } from '../update/wake.ts';
import { Channel, type ConnectionPorts } from './channel.ts';
import type { CommandOutcome, RequestBody } from './session.ts';
import { type TelemetryPorts, TelemetryTimer } from './telemetry-timer.ts';

/** What a device does with its message channel. */
export interface ChannelPorts {
  readonly random: Random;
  /** Time as the service lives in it, where the device's own clock runs faster. */
  readonly clock: Clock;
  /** Runs a command line for the service; the error is a text for it. */
  readonly command: (line: string) => Promise<CommandOutcome>;
  /** Whether the device updates itself when the service says that there is something. Spec: MOD-CHAN-ota. */
  readonly updatesItself: () => boolean;
  /** Makes one such update with its reboot; nothing when its turn comes and it is not wanted any more. */
  readonly update: WakePorts['update'];
  /** What the device sends by itself; nothing without it. */
  readonly telemetry?: TelemetryPorts;
}

/** What the client gives to its channel. */
interface ClientPorts extends ConnectionPorts {
  readonly attributes: (() => ReportedAttributes) | undefined;
  readonly renewIfDue: () => Promise<void>;
  /** Makes a request, whose response says whether the service has another authority; then the certificate is renewed. */
  readonly contact: () => Promise<void>;
  readonly onEvent: (listener: DeviceEventListener) => () => void;
  readonly emit: (event: DeviceEvent) => void;
  readonly act: (action: ServiceAction) => void;
  readonly stopped: () => void;
}

/** How often a channel that stays open looks at the certificate, in ms. */
const renewalCheckMs = 12 * hourMs;

/** The message channel of a device, and what comes and goes over it by itself. Reference: channel 1.1. */
export class DeviceChannel {
  readonly #ports: ChannelPorts & ClientPorts;
  readonly #wake: UpdateWake;
  readonly #telemetry: TelemetryTimer | undefined;
  readonly #channel: Channel;
  readonly #unsubscribe: () => void;
  #cancelCheck: CancelTimer = () => {};

  /** Use `openChannel` of the device client. */
  constructor(ports: ChannelPorts & ClientPorts) {
    this.#ports = ports;
    const { ownClock, random, telemetry, update } = ports;
    this.#wake = new UpdateWake({ clock: ownClock, random, update });
    this.#telemetry = telemetry && new TelemetryTimer(ownClock, telemetry);
    this.#channel = new Channel({
      ...ports,
      opened: () => this.#opened(),
      ended: (reason) => this.#ended(reason),
      command: (line) => this.#command(line),
      action: (action) => this.#act(action),
    });
    this.#unsubscribe = ports.onEvent((event) => {
      // The service no longer takes the certificate with which this channel has been opened.
      if (event.type === 'renewal' && !event.failed) this.#channel.renew();
      if (event.type === 'poll' && ports.updatesItself()) this.#wake.poll(event.afterS * 1000);
    });
  }

  get isOpen(): boolean {
    return this.#channel.state === 'open';
  }

  /** Makes a request; the error is a text. */
  request(body: RequestBody, timeoutMs: number): Promise<Result<unknown, string>> {
    return this.#channel.request(body, timeoutMs);
  }

  /** Closes the channel for good. */
  stop(): void {
    const wasOpen = this.isOpen;
    this.#ports.stopped();
    this.#unsubscribe();
    this.#channel.stop();
    this.#telemetry?.stop();
    this.#wake.stop();
    this.#cancelCheck();
    if (wasOpen) this.#ports.emit({ type: 'channel', open: false, reason: 'lost' });
  }

  #opened(): void {
    this.#ports.emit({ type: 'channel', open: true });
    const { attributes } = this.#ports;
    // The next query reports them again.
    if (attributes) this.#channel.notify({ request: 'attributes', data: attributes() });
    this.#telemetry?.open();
    this.#checkRenewal(this.#ports.renewIfDue);
    // A device that was away when the fleet was woken has missed it.
    if (this.#ports.updatesItself()) this.#wake.wake();
  }

  #ended(reason: EndReason): void {
    this.#telemetry?.closed();
    this.#cancelCheck();
    this.#ports.emit({ type: 'channel', open: false, reason });
  }

  /** Spec: MOD-ID-renew. */
  #checkRenewal(check: () => Promise<void>): void {
    // The store may fail; the next look is soon enough.
    check().catch(() => {});
    this.#cancelCheck = this.#ports.ownClock.after(renewalCheckMs, () => this.#checkRenewal(this.#ports.contact));
  }

  /** Spec: MOD-CHAN-command. */
  #command(line: string): Promise<CommandOutcome> {
    return this.#ports.command(line).catch(() => failure('the command failed'));
  }

  /** Spec: MOD-CHAN-action. */
  #act(action: ServiceAction): void {
    if (action.action === 'ota') {
      if (this.#ports.updatesItself()) this.#wake.wake();
    } else if (Value.Check(ComeBack, action)) {
      this.#channel.comeBack(action.after_ms);
    } else if (action.action === 'command') {
      // The service does not wait for the outcome of an action.
      if (typeof action.command === 'string') ignoreFailure(this.#command(action.command));
    } else {
      this.#ports.act(action);
    }
  }
}
