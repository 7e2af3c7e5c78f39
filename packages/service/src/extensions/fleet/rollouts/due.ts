import { type CancelTimer, hourMs, unwrap } from '@moorage/base';
import { sharedReads } from '../../../engine/db/work.ts';
import type { Outbound } from '../../../engine/outbound/ports.ts';
import { dueExecutions, dueRollouts, dueWakes, nextDue } from './due-queries.ts';
import type { Fleet } from './engine.ts';
import type { FleetDeps, Lifecycle } from './lifecycle.ts';
import { countsOf, lockRollout, type RolloutRow } from './queries.ts';

type DueDeps = Omit<FleetDeps, 'tagBundle' | 'stretch'> & {
  readonly fleet: Fleet;
  readonly lifecycle: Lifecycle;
  /** The way out of the machine, for gates that are asked for. */
  readonly outbound: Pick<Outbound, 'sendHttp'>;
};

/** A timer is set no further ahead, in ms. */
const longestPlanMs = hourMs;
const askTimeoutMs = 10_000;
/** Rounds of due rows in one run: what is left then is looked at in the next one. */
const roundsLimit = 1_000;

/**
 * Does what is due by itself: starts, soak times, gates that are asked for, deadlines, probations, waking. Each process
 * that has written such a time plans it, and looks for the plans of others when it starts and every hour. The lock of the
 * rollout lets one of them do it.
 */
export class RolloutTimes {
  readonly #deps: DueDeps;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #cancel: CancelTimer = () => {};
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: DueDeps) {
    this.#deps = deps;
    deps.lifecycle.watchTimes((atMs) => this.#plan(atMs));
  }

  /** Does what is due, and plans what will be. */
  async run(): Promise<void> {
    const { storage, clock, fleet, lifecycle } = this.#deps;
    for (let round = 0; round < roundsLimit; round++) {
      const nowMs = clock.now();
      const rollouts = await dueRollouts(storage.db, nowMs);
      for (const { id } of rollouts) await this.#settle(id);
      const wakes = await dueWakes(storage.db, nowMs);
      for (const { id } of wakes) await storage.transaction((_trx, work) => lifecycle.wakeMore(work, id));
      const executions = await dueExecutions(storage.db, nowMs);
      for (const { rollout_id, device_id } of executions) {
        await storage.transaction((_trx, work) => fleet.expire(work, rollout_id, device_id));
      }
      if (rollouts.length + wakes.length + executions.length > 0) continue;
      // What has become due since then is found as the next that is.
      const next = await nextDue(storage.db, nowMs);
      if (next === undefined) return;
      if (next > clock.now()) return this.#plan(next);
    }
  }

  /** Settles a rollout that is due, and asks for its gate where it has one that is asked for. */
  async #settle(id: string): Promise<void> {
    const { storage, lifecycle } = this.#deps;
    const asked = await storage.transaction((_trx, work) => lifecycle.due(work, id));
    if (!asked) return;
    const answer = await this.#ask(asked.url, asked.rollout);
    if (!answer) return;
    await storage.transaction(async (_trx, work) => {
      const rollout = await lockRollout(work, id);
      // The answer is about a stage that may not be the open one any more.
      if (rollout?.state !== 'running' || rollout.stage !== asked.rollout.stage) return;
      const reason = answer.reason ?? `${new URL(asked.url).host} said no`;
      // A rollout that is running takes both answers.
      unwrap(await lifecycle.signal(work, rollout, { pass: answer.pass, reason }));
    });
  }

  /** Asks an address whether the next stage may open; `undefined` when it does not say. */
  async #ask(url: string, rollout: RolloutRow): Promise<{ pass: boolean; reason: string | undefined } | undefined> {
    const { storage, log, outbound } = this.#deps;
    const counts = await countsOf(sharedReads(storage.db), rollout.id, rollout.settings.stages.length);
    const { id, title, bundle_id, version: bundle, stage } = rollout;
    const sent = await outbound.sendHttp({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ rollout: id, title, bundle_id, bundle, stage, ...counts[stage] }),
      timeoutMs: askTimeoutMs,
    });
    if (!sent.ok || sent.value.status !== 200) {
      log.info({ rollout: id, sent }, 'The gate of a rollout was asked for and did not answer');
      return undefined;
    }
    return answerOf(sent.value.body);
  }

  /** Plans nothing any more, and waits for what is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#running;
  }

  /** Looks for what is due at a time, epoch ms. Other processes have their own; the database decides. */
  #plan(atMs: number): void {
    if (this.#isClosed || atMs >= this.#dueAtMs) return;
    const { clock, log } = this.#deps;
    this.#cancel();
    this.#dueAtMs = atMs;
    this.#cancel = clock.after(Math.min(Math.max(0, atMs - clock.now()), longestPlanMs), () => {
      this.#dueAtMs = Number.POSITIVE_INFINITY;
      this.#running = this.#running
        .then(() => this.run())
        .catch((error: unknown) => log.error({ err: error }, 'Rollouts were not looked at'));
    });
  }
}

/** What an answer says: `{"pass": true}` or `{"pass": false, "reason": "…"}`; anything else says nothing. */
function answerOf(body: string): { pass: boolean; reason: string | undefined } | undefined {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    // Text that is no JSON says nothing: it is asked again.
    return undefined;
  }
  if (typeof answer !== 'object' || answer === null || !('pass' in answer) || typeof answer.pass !== 'boolean') {
    return undefined;
  }
  const reason = 'reason' in answer && typeof answer.reason === 'string' ? answer.reason.slice(0, 500) : undefined;
  return { pass: answer.pass, reason };
}
