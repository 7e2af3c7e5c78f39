import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Background, background, missingProgram, output } from './interop.ts';

/** Why there can be no hosts in networks of their own; empty when there can. */
export function namespaceObstacle(): string {
  const missing = missingProgram('ip', 'nsenter', 'unshare');
  if (missing !== '') return missing;
  return spawnSync('unshare', ['--net', 'true']).status === 0 ? '' : 'network namespaces are not allowed';
}

/** A host in a network namespace of its own, which ends with the process that holds it: with the test at the latest. */
export class Host {
  readonly #holder: Background;

  private constructor(holder: Background) {
    this.#holder = holder;
  }

  static async start(): Promise<Host> {
    return new Host(await background('unshare', ['--net', 'sh', '-c', 'echo held; exec cat'], /held/));
  }

  get pid(): number {
    return this.#holder.child.pid ?? 0;
  }

  /** The words that run a command on the host. */
  words(...words: readonly string[]): readonly [string, ...string[]] {
    return ['nsenter', `--net=/proc/${this.pid}/ns/net`, ...words];
  }

  /** Runs a command on the host to its end; everything that it has said. */
  run(...words: readonly string[]): Promise<string> {
    const [command, ...args] = this.words(...words);
    return output(command, args, 20_000);
  }

  /** Starts a program on the host that runs until it is stopped. */
  background(ready: RegExp, ...words: readonly string[]): Promise<Background> {
    const [command, ...args] = this.words(...words);
    return background(command, args, ready);
  }

  close(): Promise<void> {
    return this.#holder.stop();
  }
}

/** Two hosts with one cable between them and nothing else: its end is `ap0` at the module and `sta0` at the client. */
export interface CabledHosts {
  readonly module: Host;
  readonly client: Host;
  close(): Promise<void>;
}

/** @param address of the module, in a /24 network */
export async function cabledHosts(address: string): Promise<CabledHosts> {
  const [module, client] = [await Host.start(), await Host.start()];
  const said = [
    await module.run('ip', 'link', 'add', 'ap0', 'type', 'veth', 'peer', 'name', 'sta0', 'netns', String(client.pid)),
    await module.run('ip', 'addr', 'add', `${address}/24`, 'dev', 'ap0'),
    await module.run('ip', 'link', 'set', 'lo', 'up'),
    await module.run('ip', 'link', 'set', 'ap0', 'up'),
    // What is sent to all has to go somewhere.
    await module.run('ip', 'route', 'add', 'default', 'dev', 'ap0'),
    await client.run('ip', 'link', 'set', 'lo', 'up'),
    await client.run('ip', 'link', 'set', 'sta0', 'up'),
  ].join('');
  if (said !== '') throw new Error(said);
  const close = async (): Promise<void> => {
    await Promise.all([module.close(), client.close()]);
  };
  return { module, client, close };
}

/** A module in a process of its own, on a host of its own. */
export class NamespaceModule {
  readonly log: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #waiting: ((reply: string) => void)[] = [];

  constructor(host: Host, address: string) {
    const program = fileURLToPath(new URL('namespace-module.ts', import.meta.url));
    const [command, ...args] = host.words(process.execPath, program, address);
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    child.stderr.on('data', (chunk: Buffer) => this.log.push(chunk.toString()));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const said: { log?: string; reply?: string } = JSON.parse(line);
      if (said.log !== undefined) this.log.push(said.log);
      if (said.reply !== undefined) this.#waiting.shift()?.(said.reply);
    });
    child.once('close', () => {
      for (const give of this.#waiting.splice(0)) give(`The module has ended: ${this.log.join('|')}`);
    });
  }

  /** Runs a command; its code and its text. */
  run(line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin?.write(`${line}\n`);
    });
  }

  /** Runs commands that must succeed. */
  async runAll(...lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const reply = await this.run(line);
      if (!reply.startsWith('0 ')) throw new Error(`${line}: ${reply} (${this.log.join('|')})`);
    }
  }

  async close(): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }
}
