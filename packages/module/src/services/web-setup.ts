import type { CancelTimer } from '@moorage/base';
import type { ServiceParts, WebSetupFacts } from './service.ts';

/** What web setup takes over. */
type WebSetupParts = Pick<ServiceParts, 'clock' | 'log' | 'streams' | 'variables' | 'wlan'>;

/**
 * Web setup: the module makes a network of its own, on which a person with a browser finds its page.
 * Reference: network 3.1. Spec: MOD-CMD-setup.
 */
export class WebSetup implements WebSetupFacts {
  readonly #parts: WebSetupParts;
  #active = false;
  #cancelStart: CancelTimer | undefined;
  #cancelIdle: CancelTimer | undefined;

  constructor(parts: WebSetupParts) {
    this.#parts = parts;
    // When the network goes, by a command or a reboot, web setup ends.
    parts.wlan.watch({ down: (iface) => iface === 'softap' && this.#end() });
  }

  get active(): boolean {
    return this.#active;
  }

  /** What `setup status` prints. */
  get status(): 0 | 1 {
    return this.#active || this.#cancelStart ? 1 : 0;
  }

  /** Starts it when the command that asked for it has answered; harmless when it runs. */
  start(): void {
    if (this.status === 1) return;
    this.#cancelStart = this.#parts.clock.after(0, () => void this.#open());
  }

  /** Ends it; the module joins its network again if it has one. Harmless when it does not run. */
  stop(): void {
    this.#cancelStart?.();
    this.#cancelStart = undefined;
    if (!this.#active) return;
    const { variables, wlan } = this.#parts;
    wlan.down('softap');
    if (variables.get('softap.auto_start')) wlan.up('softap');
    if (variables.get('wlan.ssid') !== '') wlan.up('wlan');
  }

  /** Before a reboot or power-off: one that has not begun does not begin. */
  halt(): void {
    this.#cancelStart?.();
    this.#cancelStart = undefined;
  }

  pageOpened(): void {
    // Spec: MOD-VAR-setup.web.idle_timeout.
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
  }

  async #open(): Promise<void> {
    const { clock, log, streams, variables, wlan } = this.#parts;
    // The host's connections go with the link.
    await streams.closeConnections();
    // Stopped, or switched off, meanwhile.
    if (!this.#cancelStart) return;
    this.#cancelStart = undefined;
    wlan.down('wlan');
    wlan.down('softap');
    this.#active = true;
    const started = await wlan.startSetupAp();
    if (!started.ok) this.#active = false;
    // The notice comes once its servers run; it may have been stopped meanwhile.
    if (!this.#active) return;
    log.say('webSetupStarted');
    const idleMs = variables.get('setup.web.idle_timeout') * 1000;
    // Spec: MOD-VAR-setup.web.idle_timeout.
    if (idleMs > 0) this.#cancelIdle = clock.after(idleMs, () => this.stop());
  }

  #end(): void {
    this.#active = false;
    this.pageOpened();
  }
}
