import type { RolloutRecord } from '@moorage/api';
import { realClock } from '@moorage/base';
import { clientOptions, connect } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { readSeconds } from '../rollouts/settings.ts';
import { changeLines, describeRollout, stateLine } from '../rollouts/texts.ts';
import { type WatchEnd, watchCodes, watchRollout } from '../rollouts/watch.ts';
import { rolloutArgument, rolloutSources } from './rollout.ts';

/** Says what has changed, and keeps a bar of the open stage at the bottom of a terminal. */
function show(reporter: Reporter, now: RolloutRecord, before: RolloutRecord | undefined): void {
  reporter.event('rollout', now);
  for (const line of changeLines(before, now)) reporter.say(line);
  const stage = now.state === 'running' ? now.stages[now.stage] : undefined;
  if (!stage) reporter.status('');
  else {
    const { done, failed } = stage.counts;
    reporter.status(`Stage ${now.stage + 1} of ${now.stages.length}`, (done + failed) / Math.max(1, stage.total));
  }
}

const words: Readonly<Record<WatchEnd, string>> = {
  finished: 'has finished',
  stopped: 'is over',
  paused: 'does not go on by itself',
  timeOut: 'is not over yet',
};

export const rolloutWatchCommand = defineCliCommand({
  name: 'watch',
  parent: 'rollout',
  summary:
    'Follow a rollout to its end. Exit codes: 0 finished, 3 aborted or rolled back, 4 out of time, 5 paused, ' +
    '1 it did not work, 2 wrong arguments',
  arguments: [rolloutArgument],
  options: {
    ...clientOptions,
    timeout: { kind: 'text', placeholder: 'TIME', help: 'longest wait: 90s, 10m, 2h, 1d', defaultText: 'none' },
  },
  async run({ options, args: [rollout_id = ''], reporter }) {
    const seconds = options.timeout === undefined ? undefined : readSeconds('timeout', options.timeout);
    if (seconds && !seconds.ok) throw new UserError(seconds.error, 2);
    const service = await connect(options, rolloutSources);
    const { followEvents } = await import('../client/live-events.ts');
    // Timers of the clock do not keep the process alive, and a service that is away has no connection.
    const keepsAlive = setInterval(() => {}, 3_600_000);
    let last: RolloutRecord | undefined;
    const end = await watchRollout({
      clock: realClock,
      timeoutMs: seconds && seconds.value * 1000,
      look: async () => (await service.call('rollouts.get', { params: { rollout_id } })).value,
      follow: (onNews) => followEvents(service, realClock, onNews),
      onChange(now, before) {
        last = now;
        show(reporter, now, before);
      },
      onTrouble: (message) => reporter.event('trouble', { message }, `${message}; trying again`),
    }).finally(() => {
      clearInterval(keepsAlive);
      reporter.status('');
    });
    reporter.event('end', { end }, last && `\n${describeRollout(last)}`);
    const code = watchCodes[end];
    const state = last ? `: ${stateLine(last)}` : '';
    if (code !== 0) throw new UserError(`The rollout ${words[end]}${end === 'timeOut' ? '' : state}`, code);
  },
});
