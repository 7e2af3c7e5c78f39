import { randomUUID } from 'node:crypto';
import { type CancelTimer, failure, type Result } from '@moorage/base';
import { type CommandFailure, type CommandOutcome, type MessageOf, topics } from '../../engine/bus/topics.ts';
import type { Deps } from '../../engine/http/types.ts';

/** What an answer from another process may take beyond the device's own time, in ms. */
const relayMs = 2_000;
/** Commands of other processes that wait for the word of these; of more, the newest are not run. */
const asksLimit = 10_000;

type Outcome = Result<CommandOutcome, CommandFailure>;

export interface RelayDeps extends Pick<Deps, 'storage' | 'clock'> {
  /** Name of this process among the others. */
  readonly processId: string;
  /** Whether the device is connected to this process. */
  readonly isHere: (deviceId: string) => boolean;
  /** Runs a command on a device that is. */
  readonly run: (deviceId: string, data: string, timeoutMs: number) => Promise<Outcome>;
}

/** A command that is waited for. */
interface OpenRequest {
  /** That the device is connected to. */
  readonly processId: string;
  /** On the monotonic clock of this process; its caller has been answered then. */
  readonly untilMs: number;
  /** The device may have it. */
  isRunning: boolean;
  readonly settle: (outcome: Outcome) => void;
}

/** A command of another process, which has been asked whether it still waits. */
interface Ask {
  readonly askedAtMs: number;
  readonly run: () => void;
  readonly cancel: CancelTimer;
}

/**
 * Commands for devices that are connected to other processes. A message may come late: the process that has the device
 * asks the sender whether it still waits before it runs the command, and measures by its own clock how old the word can
 * be. Spec: API-CHAN-processes.
 */
export class CommandRelay {
  readonly #deps: RelayDeps;
  readonly #requests = new Map<string, OpenRequest>();
  readonly #asks = new Map<string, Ask>();
  readonly #leave: readonly (() => void)[];

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    const { bus } = deps.storage;
    this.#leave = [
      bus.subscribe(topics.channelRequest, (message) => this.#take(message)),
      bus.subscribe(topics.channelAsk, (ask) => this.#confirm(ask)),
      bus.subscribe(topics.channelGo, (go) => this.#go(go)),
      bus.subscribe(topics.channelResponse, ({ request, outcome }) => this.#requests.get(request)?.settle(outcome)),
    ];
  }

  /** Runs a command on a device that is connected to another process. */
  command(processId: string, deviceId: string, data: string, timeoutMs: number): Promise<Outcome> {
    const { clock, storage } = this.#deps;
    // Nobody would hear of it, and what is heard later is not run.
    if (!storage.bus.connected) return Promise.resolve(failure({ reason: 'apart' }));
    const request = randomUUID();
    const waitMs = timeoutMs + relayMs;
    return new Promise((resolve) => {
      const cancel = clock.after(waitMs, () => settle(failure({ reason: 'silent' })));
      const settle = (outcome: Outcome) => {
        cancel();
        this.#requests.delete(request);
        resolve(outcome);
      };
      this.#requests.set(request, { processId, untilMs: clock.monotonic() + waitMs, isRunning: false, settle });
      storage.bus.publish(topics.channelRequest, { request, deviceId, data, timeoutMs, confirms: true });
    });
  }

  /** Processes have ended. What none of them had begun to run never will be; of the rest the outcome is unknown. */
  ended(processIds: ReadonlySet<string>): void {
    for (const { processId, isRunning, settle } of [...this.#requests.values()])
      if (processIds.has(processId)) settle(failure({ reason: isRunning ? 'silent' : 'offline' }));
  }

  /** Takes no more commands of other processes. */
  close(): void {
    for (const leave of this.#leave) leave();
    for (const { cancel } of this.#asks.values()) cancel();
    this.#asks.clear();
  }

  #take({ request, deviceId, data, timeoutMs, confirms }: MessageOf<typeof topics.channelRequest>): void {
    const { clock, isHere, processId: by, run, storage } = this.#deps;
    // Our own questions never come this far: who is connected here is asked directly.
    if (!isHere(deviceId) || this.#requests.has(request)) return;
    const runNow = async () => {
      const outcome = await run(deviceId, data, timeoutMs);
      storage.bus.publish(topics.channelResponse, { request, outcome });
    };
    // A process of the release before does not answer the question.
    if (!confirms) return void runNow();
    if (this.#asks.has(request) || this.#asks.size >= asksLimit) return;
    const cancel = clock.after(timeoutMs + relayMs, () => this.#asks.delete(request));
    this.#asks.set(request, { askedAtMs: clock.monotonic(), run: () => void runNow(), cancel });
    storage.bus.publish(topics.channelAsk, { request, by });
  }

  /** Once for each request, to whoever is the first to ask. */
  #confirm({ request, by }: MessageOf<typeof topics.channelAsk>): void {
    const { clock, storage } = this.#deps;
    const open = this.#requests.get(request);
    const leftMs = open ? open.untilMs - clock.monotonic() : 0;
    if (!open || open.isRunning || leftMs <= 0) return;
    open.isRunning = true;
    storage.bus.publish(topics.channelGo, { request, by, leftMs });
  }

  /** The word was given after the question, so it is no older than that. */
  #go({ request, by, leftMs }: MessageOf<typeof topics.channelGo>): void {
    const ask = this.#asks.get(request);
    if (by !== this.#deps.processId || !ask) return;
    this.#asks.delete(request);
    ask.cancel();
    if (this.#deps.clock.monotonic() - ask.askedAtMs < leftMs) ask.run();
  }
}
