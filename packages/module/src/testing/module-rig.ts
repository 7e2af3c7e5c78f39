import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { createModule, type Module, type ModuleOptions } from '../module.ts';

interface ModuleRig {
  readonly clock: VirtualClock;
  readonly module: Module;
  /** Lines of the log since the last look. */
  logged(): readonly string[];
  /** Runs a command line: its code and text, as in `0 Set OK`. */
  run(line: string, data?: string): Promise<string>;
  /** Lets `ms` of module time pass. */
  pass(ms: number): Promise<void>;
}

/** A whole module that has booted, on a virtual clock and a network in memory. */
export async function moduleRig(options: Partial<ModuleOptions> = {}): Promise<ModuleRig> {
  const clock = new VirtualClock(Date.UTC(2024, 0, 1));
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, net, store: new MemoryStore(), seed: 1, ...options });
  const lines: string[] = [];
  module.log.attach((line) => lines.push(line));
  const booted = module.boot();
  await clock.advance(module.timings.bootMs);
  await booted;
  return {
    clock,
    module,
    logged: () => lines.splice(0),
    run: async (line, data) => {
      const { code, text } = await module.execute(line, data === undefined ? undefined : Buffer.from(data));
      return `${code} ${text}`;
    },
    pass: (ms) => clock.advance(ms),
  };
}
