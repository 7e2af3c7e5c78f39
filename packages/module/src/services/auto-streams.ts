import { type CancelTimer, ignoreFailure } from '@moorage/base';
import type { Interface } from '@moorage/net';
import { inBackground } from '../device/background.ts';
import { openTcpClient, openUdpClient } from './open-client.ts';
import type { NetworkService, RunningService, ServiceParts } from './service.ts';
import type { Sockets } from './sockets.ts';
import { serverTls } from './tcp-servers.ts';

type StreamParts = ServiceParts & { readonly sockets: Sockets };

/** Value of `tcp.client.auto_retries` that never ends. */
const forever = 255;

/** Connects when the interface is up, and again when the server has closed. Spec: MOD-VAR-tcp.client.auto_start. */
export const tcpClientService: NetworkService<StreamParts> = {
  name: 'tcp client',
  spec: 'MOD-RULE-tcp',
  wanted: ({ variables, wlan }) =>
    variables.get('tcp.client.auto_start') && variables.get('tcp.client.remote_host') !== ''
      ? // Spec: MOD-VAR-tcp.client.auto_interface.
        [wlan.interfaceOf(variables.get('tcp.client.auto_interface'))]
      : [],
  start: (parts, iface) => new AutoClient(parts, iface),
};

/** A TCP client that opens by itself when the join is over. */
class AutoClient implements RunningService {
  readonly #parts: StreamParts;
  readonly #iface: Interface;
  #tries = 0;
  #stopped = false;
  #cancel: CancelTimer;

  constructor(parts: StreamParts, iface: Interface) {
    this.#parts = parts;
    this.#iface = iface;
    this.#cancel = this.#openAfter(0);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  async #open(): Promise<void> {
    const { log, variables, wlan } = this.#parts;
    if (!wlan.isUp(this.#iface)) return;
    const target = {
      // Spec: MOD-VAR-tcp.client.remote_host, MOD-VAR-tcp.client.remote_port, MOD-VAR-tcp.client.local_port.
      host: variables.get('tcp.client.remote_host'),
      port: variables.get('tcp.client.remote_port'),
      localPort: variables.get('tcp.client.local_port'),
      iface: this.#iface,
      // A stream that the user closes stays closed until the interface has been down.
      gone: (remoteClosed: boolean) => remoteClosed && this.#again(),
    };
    const opened = await inBackground(log, () => openTcpClient(this.#parts, target));
    if (!opened?.ok) this.#again();
  }

  /** Spec: MOD-VAR-tcp.client.auto_retries. */
  #again(): void {
    const { variables } = this.#parts;
    const allowed = variables.get('tcp.client.auto_retries');
    if (this.#stopped || (allowed !== forever && this.#tries >= allowed)) return;
    this.#tries++;
    this.#cancel = this.#openAfter(variables.get('tcp.client.retry_period') * 1000);
  }

  #openAfter(delayMs: number): CancelTimer {
    return this.#parts.clock.after(delayMs, () => void this.#open());
  }
}

/** Spec: MOD-VAR-tcp.server.auto_start, MOD-VAR-tcp.server.tls_enabled. */
export const tcpServerService: NetworkService<StreamParts> = {
  name: 'tcp server',
  spec: 'MOD-RULE-tcp',
  wanted: ({ variables, wlan }) =>
    variables.get('tcp.server.auto_start') ? [wlan.interfaceOf(variables.get('tcp.server.auto_interface'))] : [],
  async start(parts, iface) {
    const { log, sockets, variables } = parts;
    const tls = variables.get('tcp.server.tls_enabled') ? await serverTls(parts) : undefined;
    if (tls && !tls.ok) {
      log.say(tls.error);
      return undefined;
    }
    const port = variables.get('tcp.server.port');
    const started = await sockets.tcp.start({ kind: 'tcp', port, iface, tls: tls?.value });
    // The interface takes the server along when it goes.
    return started.ok ? { stop: () => {} } : undefined;
  },
};

/** Spec: MOD-VAR-udp.client.auto_start. */
export const udpClientService: NetworkService<StreamParts> = {
  name: 'udp client',
  spec: 'MOD-RULE-udp',
  wanted: ({ variables, wlan }) =>
    variables.get('udp.client.auto_start') && variables.get('udp.client.remote_host') !== ''
      ? [wlan.interfaceOf(variables.get('udp.client.auto_interface'))]
      : [],
  start(parts, iface) {
    const { clock, variables, wlan } = parts;
    const open = (): void => {
      if (!wlan.isUp(iface)) return;
      // Spec: MOD-VAR-udp.client.remote_host, MOD-VAR-udp.client.remote_port.
      const host = variables.get('udp.client.remote_host');
      const port = variables.get('udp.client.remote_port');
      // One that cannot be opened is opened when the interface comes up again.
      ignoreFailure(openUdpClient(parts, { host, port, localPort: 0, iface }));
    };
    return { stop: clock.after(0, open) };
  },
};

/** Spec: MOD-VAR-udp.server.auto_start. */
export const udpServerService: NetworkService<StreamParts> = {
  name: 'udp server',
  spec: 'MOD-RULE-udp',
  wanted: ({ variables, wlan }) =>
    variables.get('udp.server.auto_start') ? [wlan.interfaceOf(variables.get('udp.server.auto_interface'))] : [],
  async start({ sockets, variables }, iface) {
    const started = await sockets.udp.start({ port: variables.get('udp.server.port'), iface });
    // The interface takes the server along when it goes.
    return started.ok ? { stop: () => {} } : undefined;
  },
};
