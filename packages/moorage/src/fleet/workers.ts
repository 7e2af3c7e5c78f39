import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type FleetSummary, sumOf } from '@moorage/fleet/figures';
import { UserError } from '../command-line/define.ts';
import type { FleetFlags } from './options.ts';
import type { WatchedFleet } from './watch.ts';

/** Settings that each worker gets as they are; the secrets go through its environment. */
const passedOn = ['count', 'api', 'logins', 'product', 'service', 'scenario', 'time', 'state', 'username'] as const;

/** Processes with a part of the fleet each. */
export class Workers implements WatchedFleet {
  readonly #children: ChildProcess[] = [];
  /** What each has said last, by its index; some have said nothing yet. */
  readonly #summaries = new Map<number, FleetSummary>();
  readonly #exits: Promise<void>[] = [];
  #isStopping = false;
  /** Rejects when one of them ends by itself. */
  readonly #broken = Promise.withResolvers<never>();

  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  get summary(): FleetSummary {
    return sumOf([...this.#summaries.values()]);
  }

  /** Starts all; resolves when each has its modules. Each has its share of the rate. */
  async start(flags: FleetFlags, seed: string): Promise<void> {
    this.#broken.promise.catch(() => {});
    const rate = Math.max(1, Math.floor(flags.rate / flags.workers));
    const shared = passedOn.flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, String(flags[name])]));
    const own = ['fleet', ...shared, '--seed', seed, '--rate', String(rate), '--json'];
    const env = {
      ...process.env,
      ...(flags.token !== undefined && { MOORAGE_TOKEN: flags.token }),
      ...(flags.password !== undefined && { MOORAGE_PASSWORD: flags.password }),
      MOORAGE_WORKERS: '1',
    };
    // What a flag of this process has from its environment the workers would take for their own.
    const files = ['MOORAGE_TOKEN_FILE', 'MOORAGE_PASSWORD_FILE'];
    for (const name of [...files, 'MOORAGE_CONFIG', 'MOORAGE_UNTIL', 'MOORAGE_TIMEOUT', 'MOORAGE_METRICS_PORT'])
      Reflect.deleteProperty(env, name);
    const [, entry = ''] = process.argv;
    const ready = Array.from({ length: flags.workers }, (_, index) => {
      const args = [...process.execArgv, entry, ...own, '--part', `${index + 1}/${flags.workers}`];
      // The channel ends them with this process.
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
      this.#children.push(child);
      return this.#read(child, index);
    });
    await Promise.race([Promise.all(ready), this.broken]);
  }

  /** Stops all of them, in order. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const child of this.#children) child.kill('SIGTERM');
    await Promise.all(this.#exits);
  }

  #read(child: ChildProcess, index: number): Promise<void> {
    const ready = Promise.withResolvers<void>();
    this.#exits.push(
      new Promise((resolve) => {
        child.once('exit', (code) => {
          resolve();
          if (!this.#isStopping) this.#broken.reject(new UserError(`Worker ${index + 1} has ended with code ${code}`));
        });
      }),
    );
    if (!child.stdout) throw new Error('A worker has no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { event, ...data } = JSON.parse(line) as { event: string } & FleetSummary;
      if (event === 'summary') this.#summaries.set(index, data);
      if (event === 'ready') ready.resolve();
    });
    return ready.promise;
  }
}
