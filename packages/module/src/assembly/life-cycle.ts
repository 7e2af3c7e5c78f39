import { type CancelTimer, sleep } from '@moorage/base';
import type { Solo } from '../cloud/data-solo.ts';
import type { Board } from '../commands/board.ts';
import { reportDropped } from '../commands/variables.ts';
import { inBackground } from '../device/background.ts';
import { type FileInfo, fileFlags, fileTypes } from '../device/flash.ts';
import type { PinDuties } from '../device/pin-duties.ts';
import { longAfter, type Power } from '../device/power.ts';
import type { PowerTrigger } from '../device/power-table.ts';
import type { IoConnection } from '../services/io-connection.ts';
import type { Core } from './core.ts';
import { putPinsToSleep, wakeSources } from './pin-wiring.ts';
import { poolSettings } from './wiring.ts';

/**
 * Whether the boot loader starts the recovery program, which is what safe mode is, for `system.boot.app`. Whatever else
 * the variable names, the main program starts: it is this process, and in none of the files. Spec: MOD-VAR-system.boot.app.
 *
 * @param app the file that the variable names; `undefined` when there is none of that name
 */
const startsRecovery = (app: FileInfo | undefined): boolean =>
  app?.type === fileTypes.recoveryProgram && (app.flags & fileFlags.bootable) !== 0;

/** The parts beyond the core that start and stop with a module. */
interface LifeCycleParts extends Pick<Board, 'client' | 'cloud' | 'messages' | 'sockets' | 'webSetup' | 'wlan'> {
  readonly solo: Solo;
  readonly ioConnection: IoConnection;
  readonly services: { stop(): Promise<void> };
  readonly pinDuties: PinDuties;
  /** The first line after a boot. */
  readonly versionLine: () => string;
  /** Runs a command that no client has typed. */
  readonly run: (command: string) => void;
}

/** How long a boot waits before it reads a store anew that has failed, in ms. */
const loadRetryMs = 1_000;

/** Boot, reset, sleep and the end of power: the order in which the parts of a module start and stop. */
export class LifeCycle {
  readonly #core: Core;
  readonly #parts: LifeCycleParts;
  /** Changes whenever the module stops or starts, so that a boot which has been overtaken ends. */
  #cycle = 0;
  #cancelSleep: CancelTimer | undefined;

  constructor(core: Core, parts: LifeCycleParts) {
    this.#core = core;
    this.#parts = parts;
    core.variables.onChange('system.gotosleep.timeout', () => this.#planSleep());
  }

  get power(): Power {
    return this.#core.power;
  }

  /** Power on. Resolves when `[Ready]` has been printed; joining goes on in the background. */
  boot(): Promise<void> {
    return this.#boot(false);
  }

  /** Stops everything volatile and boots again; unsaved variables and unfinished files are lost. Spec: MOD-CMD-reboot. */
  async reboot(): Promise<void> {
    await this.#halt('reset');
    // A command that ends with a reboot may end after the power has gone.
    if (this.power.state !== 'off') await this.#boot(false);
  }

  /** The reset pin or a watchdog: as `reboot`, but nothing is said of what ends. Wakes a module that sleeps. */
  async reset(): Promise<void> {
    await this.#haltSilently('reset');
    await this.#boot(false);
  }

  /** A crash of the program: the fault is kept and the watchdog resets the module. See `Module.fault`. */
  async fault(name: string): Promise<void> {
    const { faults, log, power } = this.#core;
    if (power.state === 'asleep') throw new Error('A module that sleeps has no faults');
    await inBackground(log, () => faults.add(name));
    await this.reset();
  }

  /** Stops everything; a wake-up source boots again, or a reset. Resolves when the module is asleep. Spec: MOD-CMD-sleep. */
  async sleep(): Promise<void> {
    const sources = wakeSources(this.#core);
    this.#core.log.notice('sleep');
    const cycle = this.#cycle + 1;
    await this.#haltSilently('sleep');
    if (cycle !== this.#cycle) return;
    putPinsToSleep(this.#core);
    this.power.armWake(sources, () => void this.#wake());
  }

  /** The supply is cut, and nothing ends in order. Its pins float. */
  async cutPower(): Promise<void> {
    const { pins } = this.#core;
    await this.#haltSilently('cut-power');
    for (let pin = 0; pin < pins.count; pin++) pins.deregister(pin);
  }

  /** The supply is back: the module boots. */
  async powerUp(): Promise<void> {
    if (this.power.step('power-up')) await this.#boot(false);
  }

  /** All variables to their defaults, the saved copy too; then a reboot. Files stay. */
  async factoryReset(): Promise<void> {
    await this.#core.variables.erase();
    await this.announcedReboot();
  }

  /** A reboot that the log names first. */
  announcedReboot(): Promise<void> {
    this.#core.log.say('rebooting');
    return this.reboot();
  }

  /** Power off, in order. What has been acknowledged is durable already; what has not is given up. */
  async close(): Promise<void> {
    await this.#halt('switch-off');
    this.#core.pins.close();
  }

  async #boot(keepTime: boolean): Promise<void> {
    const { bus, clock, facts, faults, flash, log, rtc, variables } = this.#core;
    if (this.power.state === 'off') throw new Error('The module has been closed');
    const cycle = ++this.#cycle;
    rtc.restart({ keepTime });
    let dropped = await this.#load();
    for (; dropped === undefined && cycle === this.#cycle; dropped = await this.#load())
      await sleep(clock, loadRetryMs);
    this.#parts.messages.forget();
    const { bootMs } = this.#core.timings;
    if (bootMs > 0) await sleep(clock, bootMs);
    // The module may have lost power meanwhile, or been reset once more.
    if (cycle !== this.#cycle || dropped === undefined) return;
    facts.take(variables, faults.full || startsRecovery(flash.stat(variables.get('system.boot.app'))));
    // Spec: MOD-VAR-system.bflash.cs_gpio.
    flash.connectBulk(variables.get('system.bflash.cs_gpio') >= 0);
    bus.start(facts.safeMode);
    reportDropped(log, dropped);
    this.#parts.pinDuties.start();
    this.#core.streams.restart(poolSettings(variables));
    log.line(this.#parts.versionLine());
    if (faults.full) log.notice('safemode');
    if (!facts.safeMode) this.#startProgram();
    this.power.step('started');
    this.#planSleep();
  }

  /**
   * Reads what is kept without power; `undefined` when the store fails. A module that went on without it would lose it
   * with the next save.
   */
  #load(): ReturnType<typeof inBackground<readonly string[] | 'damaged'>> {
    const { faults, log, variables } = this.#core;
    const { client, cloud } = this.#parts;
    return inBackground(log, async () => {
      const dropped = await variables.load();
      await faults.load();
      await client.load();
      await cloud.load();
      return dropped;
    });
  }

  /** What the program does by itself; in safe mode it is not there. */
  #startProgram(): void {
    const { log, pinRoles, variables } = this.#core;
    const { client, ioConnection, run, solo, wlan } = this.#parts;
    // Spec: MOD-EVENT-ready.
    log.notice('initialized');
    client.start();
    wlan.boot();
    solo.start();
    ioConnection.start();
    // Spec: MOD-VAR-setup.auto.cmd.
    const command = variables.get('setup.auto.cmd');
    const setsUp = pinRoles.isAsserted('setup.gpio.control_gpio');
    if (command !== '' && variables.get('wlan.ssid') === '' && !setsUp) run(command);
  }

  /** Spec: MOD-VAR-system.gotosleep.timeout. Counts from the boot, or from the moment at which it is set. */
  #planSleep(): void {
    this.#cancelSleep?.();
    this.#cancelSleep = undefined;
    const { clock, facts, variables } = this.#core;
    const seconds = variables.get('system.gotosleep.timeout');
    if (seconds === 0 || facts.safeMode || this.power.state !== 'on') return;
    this.#cancelSleep = longAfter(clock, seconds * 1000, () => void this.sleep());
  }

  async #wake(): Promise<void> {
    this.power.step('reset');
    await this.#boot(true);
  }

  async #halt(trigger: PowerTrigger): Promise<void> {
    // Prints `[Disassociated]` when there was a link.
    await this.#stop(trigger, () => this.#parts.wlan.halt());
  }

  async #haltSilently(trigger: PowerTrigger): Promise<void> {
    await this.#stop(trigger, () => this.#core.log.muted(() => this.#parts.wlan.halt()));
  }

  async #stop(trigger: PowerTrigger, leave: () => void): Promise<void> {
    const { bus, power, streams } = this.#core;
    const parts = this.#parts;
    this.#cycle++;
    power.step(trigger);
    this.#cancelSleep?.();
    bus.stop();
    parts.ioConnection.stop();
    parts.pinDuties.stop();
    parts.solo.stop();
    parts.cloud.stop();
    parts.client.stop();
    parts.webSetup.halt();
    parts.sockets.halt();
    await streams.reset();
    leave();
    await parts.services.stop();
  }
}
