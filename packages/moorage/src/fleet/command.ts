import { randomInt } from 'node:crypto';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import type { FleetFlags } from './options.ts';
import { checkOpenFiles, openFleet } from './run.ts';
import { openMetrics, type Watch, type WatchedFleet, watchFleet } from './watch.ts';
import { Workers } from './workers.ts';

/** A fleet that runs. */
interface RunningFleet {
  /** Resolves with the exit code, when there is an end to wait for. */
  readonly end: Promise<number>;
  stop(): Promise<void>;
}

const newSeed = (): string => String(randomInt(2 ** 32));

interface Started {
  readonly fleet: WatchedFleet;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Rejects when it ends by itself. */
  readonly broken?: Promise<never>;
  /** Resolves when all modules are there. */
  readonly begun: Promise<void>;
  stop(): Promise<void>;
}

/** Opens the fleet here, or in workers. The token is tried here either way. */
async function open(flags: FleetFlags): Promise<Started> {
  const { facts, fleet, stop } = await openFleet(flags, newSeed);
  if (flags.workers === 1) {
    const begun = fleet.start().then((started) => {
      if (!started.ok) throw new UserError(started.error);
    });
    return { fleet, facts, begun, stop };
  }
  const workers = new Workers();
  return {
    fleet: workers,
    facts: { ...facts, workers: flags.workers },
    broken: workers.broken,
    begun: workers.start(flags, String(facts.seed)),
    stop: () => workers.stop(),
  };
}

/** Opens a fleet, which begins at once; and says how it stands once all its modules are there. @throws {UserError} for what is missing or wrong */
export async function runFleet(flags: FleetFlags, reporter: Reporter): Promise<RunningFleet> {
  const { count, part, state, timeout, until, workers } = flags;
  const here = Math.ceil((count - part.number) / part.of);
  await checkOpenFiles(here, state !== undefined, workers);
  const { begun, broken, facts, fleet, stop } = await open(flags);
  const metrics = flags['metrics-port'] === undefined ? undefined : await openMetrics(flags['metrics-port'], fleet);
  let watch: Watch | undefined;
  const ended = begun.then(() => {
    const lines = [
      `${here} modules of ${facts.product} at ${facts.devices} (seed ${facts.seed})`,
      ...(metrics ? [`Figures for Prometheus: ${metrics.url}`] : []),
    ];
    reporter.event('ready', { ...facts, ...(metrics && { metrics: metrics.url }) }, lines.join('\n'));
    watch = watchFleet({ fleet, reporter, count: here, until: until !== undefined, timeoutS: timeout });
    return watch.end;
  });
  const end = Promise.race([ended, ...(broken ? [broken] : [])]).then((code) => {
    reporter.status('');
    reporter.event('end', { code, ...fleet.summary }, `${fleet.summary.updated} of ${here} modules are updated`);
    return code;
  });
  let stopped: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    watch?.stop();
    await stop();
    await metrics?.close();
  };
  return {
    end,
    stop: () => {
      stopped ??= stopAll();
      return stopped;
    },
  };
}
