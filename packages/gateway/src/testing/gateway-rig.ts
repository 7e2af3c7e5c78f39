import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule, type Module, type ModuleOptions } from '@moorage/module';
import { attachSession } from '@moorage/module/bus/attach-session';
import { ComPort } from '@moorage/module/transports/com-port';
import type { Connection, Net } from '@moorage/net';
import { type Conditions, MemoryNetwork } from '@moorage/net/memory';
import { optionBytes, subnegotiationBytes } from '@moorage/net/telnet/telnet';
import { telnetStream } from '@moorage/net/telnet/telnet-stream';
import type { Driver } from '../driver/driver.ts';
import { type OpenOptions, type OpenPorts, openDriver } from '../driver/open.ts';

/** Ways to the module of a rig, all in memory. */
export const ways = [
  'http',
  'http-login',
  'terminal',
  'terminal-login',
  'serial',
  'serial-machine',
  'serial-bare',
  'rfc2217',
] as const;
export type Way = (typeof ways)[number];

/** Address and login of each way. */
const wayTo: Readonly<Record<Way, readonly [address: string, options?: OpenOptions]>> = {
  http: ['http://module:80'],
  'http-login': ['http://module:80', { username: 'ada', password: 'open sesame' }],
  terminal: ['tcp:module:2000'],
  'terminal-login': ['tcp:module:2000', { password: 'open sesame' }],
  serial: ['pty:/dev/module'],
  'serial-machine': ['pty:/dev/module'],
  'serial-bare': ['pty:/dev/module'],
  rfc2217: ['rfc2217:module:2217'],
};

/** Settings that a way needs. */
const settingsOf: Partial<Record<Way, readonly string[]>> = {
  'http-login': ['set http.server.username ada', 'set http.server.password "open sesame"'],
  'terminal-login': ['set remote_terminal.password "open sesame"'],
  'serial-machine': ['set system.cmd.mode machine'],
  'serial-bare': ['set system.cmd.prompt_enabled 0', 'set system.cmd.echo 0'],
};

const comPortOption = 44;

export interface GatewayRigOptions extends Partial<ModuleOptions> {
  readonly way?: Way;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Lines to run before the network comes up. */
  readonly settings?: readonly string[];
  /** What is done to the module before it boots; no lines are run then but the one that joins. */
  readonly prepare?: (module: Module) => Promise<unknown>;
}

/** Runs a clock on until a promise has settled. */
export const settler =
  (clock: VirtualClock) =>
  async <T>(promise: Promise<T>, limitMs = 3_600_000): Promise<T> => {
    let settled = false;
    const end = () => {
      settled = true;
    };
    promise.then(end, end);
    const untilMs = clock.monotonic() + limitMs;
    while (!settled && clock.monotonic() < untilMs) {
      for (let turn = 0; !settled && turn < 20; turn++) await clock.advance(0);
      if (!settled) await clock.advance(10);
    }
    if (!settled) throw new Error(`The promise did not settle in ${limitMs} ms of the rig's time`);
    return promise;
  };

/** A serial line behind a server of its own, and one behind RFC 2217. */
async function serveLines(network: MemoryNetwork, moduleNet: Net, module: () => Module): Promise<void> {
  const serialServer = network.attach('serial-server', '10.5.6.9');
  unwrap(await serialServer.listen(7, ({ stream }) => attachSession(module(), 'serial', stream)));
  const accept = ({ stream: source }: Connection): void => {
    const peer = new ComPort({
      send: (payload) => source.write(subnegotiationBytes(comPortOption, payload)),
      settings: () => module().bus.uart(0),
    });
    const stream = telnetStream(source, {
      onEvent(event) {
        if (event.kind === 'option' && event.option === comPortOption) {
          source.write(optionBytes('DO', comPortOption));
          peer.start();
        } else if (event.kind === 'subnegotiation') peer.handle(event.payload);
      },
    });
    attachSession(module(), 'serial', stream, undefined, { uart: 0, peer });
  };
  unwrap(await moduleNet.listen(2217, accept));
}

/** A virtual module that has only what a real one has, and a gateway beside it, on a clock that stands still. */
export async function gatewayRig({
  way = 'http',
  files = {},
  settings = [],
  prepare,
  ...more
}: GatewayRigOptions = {}) {
  const clock = new VirtualClock(Date.UTC(2024, 0, 1));
  const network = new MemoryNetwork(clock);
  const moduleNet = network.attach('module', '10.5.6.108');
  const gatewayNet = network.attach('gateway', '10.5.6.2');
  const until = settler(clock);
  let module: Module;
  const boot = async (options: Partial<ModuleOptions> = {}): Promise<Module> => {
    module = await createModule({ clock, net: moduleNet, store: new MemoryStore(), seed: 1, ...more, ...options });
    await prepare?.(module);
    await until(module.boot());
    return module;
  };
  await boot();
  const run = async (line: string, data?: Uint8Array): Promise<string> => {
    const { code, text } = await until(module.execute(line, data));
    return `${code} ${text}`;
  };
  const mustRun = async (line: string, data?: Uint8Array): Promise<void> => {
    const answer = await run(line, data);
    if (!answer.startsWith('0')) throw new Error(`${line}: ${answer}`);
  };
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    await mustRun(`file_create "${name}" ${bytes.length}`, bytes);
  }
  const joined = ['wlan.ssid harbour-open', 'http.server.enabled 1', 'remote_terminal.enabled 1', 'ntp.enabled 0'];
  const all = [...joined.map((setting) => `set ${setting}`), ...(settingsOf[way] ?? []), ...settings];
  const lines = prepare ? [] : [...all, 'set wlan.auto_join.enabled 1', 'save'];
  for (const line of lines) await mustRun(line);
  // A twin has the commands of its original alone.
  await (prepare ? run('network_up') : mustRun('network_up'));
  await serveLines(network, moduleNet, () => module);
  const ports: OpenPorts = {
    net: gatewayNet,
    clock,
    async serial() {
      const dialled = await gatewayNet.dial({ host: 'serial-server', port: 7, timeoutMs: 1_000 });
      return dialled.ok ? { ok: true, value: dialled.value.stream } : { ok: false, error: dialled.error.detail };
    },
  };
  const [address, options] = wayTo[way];
  return {
    clock,
    network,
    ports,
    address,
    options,
    until,
    run,
    boot,
    get module(): Module {
      return module;
    },
    /** What each connection of the gateway meets from now on. */
    meet(conditions: Conditions): void {
      network.conditions = ({ from }) => (from === 'gateway' ? conditions : {});
    },
    open: (): Promise<Driver> => until(openDriver(ports, address, options).then(unwrap)),
  };
}
