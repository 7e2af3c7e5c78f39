import { ignoreFailure } from '@moorage/base';
import type { PinRoles } from '../device/pin-roles.ts';
import { openTcpClient, openUdpClient, type SocketParts } from './open-client.ts';
import { tlsSettings } from './tls-settings.ts';

/**
 * A connection that a pin opens and closes, without any command. One that the other side closes, or that cannot be
 * opened, stays away until the pin is released and asserted again. Spec: MOD-VAR-ioconn.control_gpio.
 */
export class IoConnection {
  readonly #parts: SocketParts;
  readonly #pinRoles: PinRoles;
  #unwatch: (() => void) | undefined;
  #asserted = false;
  #handle: number | undefined;
  /** One opening or closing after the other, however quickly the pin changes. */
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: SocketParts, pinRoles: PinRoles) {
    this.#parts = parts;
    this.#pinRoles = pinRoles;
  }

  /** After a boot: a pin that is asserted already counts. */
  start(): void {
    const { variables } = this.#parts;
    const pinRoles = this.#pinRoles;
    // Spec: MOD-VAR-ioconn.enabled.
    if (!variables.get('ioconn.enabled')) return;
    pinRoles.put('ioconn.status_gpio', 0);
    this.#unwatch = pinRoles.watch('ioconn.control_gpio', (asserted) => this.#follow(asserted));
    if (pinRoles.isAsserted('ioconn.control_gpio')) this.#follow(true);
  }

  /** Before a reboot, a sleep or the end of power, which close the streams. */
  stop(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#asserted = false;
    this.#handle = undefined;
  }

  #follow(asserted: boolean): void {
    this.#asserted = asserted;
    this.#turn = this.#turn.then(() => this.#act());
  }

  async #act(): Promise<void> {
    if (this.#asserted && this.#handle === undefined) await this.#open();
    if (this.#asserted || this.#handle === undefined) return;
    // The stream may have been closed by a command meanwhile.
    ignoreFailure(await this.#parts.streams.close(this.#handle));
  }

  async #open(): Promise<void> {
    const { variables, wlan } = this.#parts;
    const target = {
      // Spec: MOD-VAR-ioconn.remote_host, MOD-VAR-ioconn.remote_port, MOD-VAR-ioconn.local_port.
      host: variables.get('ioconn.remote_host'),
      port: variables.get('ioconn.remote_port'),
      localPort: variables.get('ioconn.local_port'),
      iface: wlan.interfaceOf(),
      gone: () => this.#gone(),
    };
    if (target.host === '' || target.port === 0) return;
    // Spec: MOD-VAR-ioconn.protocol.
    const protocol = variables.get('ioconn.protocol');
    const tls = protocol === 'tls' ? await tlsSettings(this.#parts, undefined) : undefined;
    if (tls && !tls.ok) return;
    const opened = await (protocol === 'udp'
      ? openUdpClient(this.#parts, target)
      : openTcpClient(this.#parts, target, tls?.value));
    if (!opened.ok) return;
    this.#handle = opened.value;
    // Spec: MOD-VAR-ioconn.status_gpio.
    this.#pinRoles.put('ioconn.status_gpio', 1);
  }

  #gone(): void {
    this.#handle = undefined;
    this.#pinRoles.put('ioconn.status_gpio', 0);
  }
}
