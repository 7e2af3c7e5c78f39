import { type ExecutionState, type RolloutSettings, usualPollS } from '@moorage/api';
import { dayMs } from '@moorage/base';
import type { Standing } from '../../../core/ota/rules.ts';
import { shareReads } from '../../../engine/db/groups.ts';
import { RecordCache } from '../../../engine/db/record-cache.ts';
import type { Db } from '../../../engine/db/storage.ts';
import type { Deps } from '../../../engine/http/types.ts';
import { keptFilter } from '../filters/parse.ts';
import { type DeviceFacts, fitsFilter } from '../filters/predicate.ts';
import { changesByItself, compileFacts, type FactPart, partsOf, type ReadFacts } from '../filters/queries.ts';
import { type ExecutionRow, executionsOf } from './execution-queries.ts';
import { pinOf } from './hold-queries.ts';
import {
  asLocked,
  compileHead,
  countsOf,
  lockRollout,
  type Marks,
  marksOf,
  type RolloutRow,
  settingsOf,
} from './queries.ts';
import { holds, onlyBringsBack, openOf, waitsToReturn } from './rules.ts';
import { restsUntilMs, whyPaced, whyWait } from './turns.ts';
import { opensAtMs, zoneFor } from './windows.ts';

export interface FleetDevice {
  readonly id: string;
  readonly product_id: string;
}

type StandingDeps = Pick<Deps, 'storage' | 'clock'> & {
  /** A device does not fit the filter of a rollout any more in which it waits. */
  readonly leave: (trx: Db, execution: ExecutionRow) => Promise<void>;
};

const rememberedProducts = 1_000;
const rememberedDevices = 100_000;

/** Devices in these states may be offered the bundle; all but the first enter anew. */
const mayEnter: readonly ExecutionState[] = ['waiting', 'left', 'skipped'];

const isOver = (untilMs: number | null, nowMs: number): boolean => untilMs !== null && untilMs <= nowMs;

/** What a rollout says beside the bundle that brings a device back. */
const plain = { mayContradict: false, install: undefined } as const;

/** One question for what a device gets. */
interface Question {
  readonly db: Db;
  readonly device: FleetDevice;
  readonly marks: Marks;
  readonly executions: readonly ExecutionRow[];
  readonly nowMs: number;
  /** What filters see of the device; read when the first of them asks. */
  facts: DeviceFacts | undefined;
}

/** What the filters of rollouts look at, all of them together. */
function partsOfAll(rollouts: readonly RolloutRow[]): ReadonlySet<FactPart> {
  const texts = rollouts.flatMap((rollout) => {
    const filters = settingsOf(rollout).stages.map(({ filter }) => filter);
    return [rollout.filter ?? undefined, ...filters].filter((text) => text !== undefined);
  });
  return new Set(texts.flatMap((text) => partsOf(keptFilter(text))));
}

/** What is known of a device before its rollouts are looked at. */
interface Ahead {
  readonly executions: readonly ExecutionRow[];
  /** The rollouts that may have a say over it, where that is remembered. */
  readonly rollouts?: readonly RolloutRow[];
  /** What its filters see of it, where that has been read, in which parts of it, and what remembers the outcome. */
  readonly facts?: DeviceFacts | undefined;
  readonly parts?: ReadonlySet<FactPart>;
  readonly keep?: ReturnType<RecordCache<Ahead>['beginRead']>;
}

/** The time at which it makes sense to ask again, as rollouts see it. */
interface Poll {
  isSoon: boolean;
  atMs: number | undefined;
}

/** Devices that shall only fetch a bundle are told to wait with it for this long, and told so again. */
const downloadOnlyMs = dayMs;

/** How a device shall install at a time: what is soft is forced from a time on, where its rollout has one. */
const forceAt = ({ force = 'forced', force_at: atMs }: RolloutSettings, nowMs: number) =>
  atMs !== undefined && nowMs >= atMs ? 'forced' : force;

/** Pins, freezes and rollouts as updates over the air see them. */
export class Standings {
  readonly #deps: StandingDeps;
  readonly #marks: RecordCache<Marks>;
  readonly #readFacts: ReadFacts;
  /** What the filters of the rollouts of a product look at, and of which products there were rollouts the last time. */
  readonly #parts = new WeakMap<Marks['rollouts'], ReadonlySet<FactPart>>();
  readonly #lastParts = new Map<string, ReadonlySet<FactPart>>();
  readonly #readHead: ReturnType<typeof compileHead> | undefined;
  readonly #rollouts = new Map<string, Pick<Marks, 'rollouts'> & { readonly revision: string }>();
  /** Of devices, as long as nothing is written: most of a product ask again and again. */
  readonly #known: RecordCache<Ahead>;
  readonly #sharedMarks = shareReads(async (productId: string) => {
    const keep = this.#marks.beginRead();
    const marks = await this.#readMarks(productId);
    keep(productId, marks);
    return marks;
  });

  constructor(deps: StandingDeps) {
    this.#deps = deps;
    this.#known = new RecordCache(deps.storage.reports, rememberedDevices);
    this.#marks = new RecordCache<Marks>(deps.storage.changes, rememberedProducts);
    this.#readFacts = compileFacts(deps.storage);
    const { rowVersion } = deps.storage.expressions;
    this.#readHead = rowVersion && compileHead(rowVersion);
  }

  /** What of pins, freezes and rollouts there is for a product; outside of transactions remembered, and read for many at once. */
  async #marksOf(db: Db, productId: string): Promise<Marks> {
    if (db !== this.#deps.storage.db) return marksOf(db, productId);
    return this.#marks.get(productId) ?? this.#sharedMarks(productId);
  }

  /** Where a database tells by a text whether its rollouts have changed, they are not read again as long as they have not. */
  async #readMarks(productId: string): Promise<Marks> {
    const { db } = this.#deps.storage;
    if (!this.#readHead) return marksOf(db, productId);
    const { revision, ...head } = await this.#readHead(db, productId);
    if (revision === null) return { ...head, rollouts: [] };
    const known = this.#rollouts.get(productId);
    if (known?.revision === revision) return { ...head, rollouts: known.rollouts };
    const { rollouts } = await marksOf(db, productId);
    if (this.#rollouts.size >= rememberedProducts) this.#rollouts.clear();
    this.#rollouts.set(productId, { revision, rollouts });
    return { ...head, rollouts };
  }

  /** What holds or moves a device now. In a transaction its rollouts are locked, so that a pace is kept. */
  async of(db: Db, device: FleetDevice): Promise<Standing> {
    const [marks, ahead] = await Promise.all([this.#marksOf(db, device.product_id), this.#aheadOf(db, device)]);
    if (marks.rollouts.length === 0) this.#lastParts.delete(device.product_id);
    const nowMs = this.#deps.clock.now();
    const pin = marks.pins ? await pinOf(db, device.id) : undefined;
    const isFrozen = marks.freeze && !isOver(marks.freeze.until, nowMs);
    const poll: Poll = { isSoon: false, atMs: undefined };
    const rollout = marks.rollouts.length > 0 ? await this.#rolloutOf(db, device, marks, poll, ahead) : undefined;
    return {
      ...(pin && !isOver(pin.until, nowMs) && { pin: { bundleId: pin.bundle_id, reason: pin.reason } }),
      ...(isFrozen && marks.freeze && { freeze: { reason: marks.freeze.reason } }),
      ...(rollout && { rollout }),
      poll: { ...poll, intervalMs: (marks.pollIntervalS ?? usualPollS) * 1000 },
      isLasting: !marks.freeze && !pin && marks.rollouts.length === 0,
    };
  }

  /**
   * What rollouts have of a device and what their filters see of it, where its product had rollouts the last time: it is
   * read beside them instead of behind them. Devices that ask together share the read, and stay together.
   */
  async #aheadOf(db: Db, { id, product_id }: FleetDevice): Promise<Ahead | undefined> {
    const parts = this.#lastParts.get(product_id);
    if (db !== this.#deps.storage.db || !parts) return undefined;
    const known = this.#known.get(id);
    if (known) return known;
    const keep = this.#known.beginRead();
    const [{ executions }, facts] = await Promise.all([
      this.#deps.storage.hot.rowsOfDevice(id, ['executions']),
      parts.size > 0 ? this.#readFacts(db, id, parts) : undefined,
    ]);
    return { executions, parts, facts, keep };
  }

  /** What the filters of the rollouts of a product look at. */
  #partsFor(productId: string, marks: Marks): ReadonlySet<FactPart> {
    const parts = this.#parts.get(marks.rollouts) ?? partsOfAll(marks.rollouts);
    this.#parts.set(marks.rollouts, parts);
    if (this.#lastParts.size >= rememberedProducts) this.#lastParts.clear();
    this.#lastParts.set(productId, parts);
    return parts;
  }

  /** The rollout that says what a device gets: the first that has brought it something, or whose turn it is. */
  async #rolloutOf(
    db: Db,
    device: FleetDevice,
    marks: Marks,
    poll: Poll,
    ahead: Ahead | undefined,
  ): Promise<Standing['rollout']> {
    const parts = this.#partsFor(device.product_id, marks);
    const known = ahead ?? (await this.#aheadOf(db, device));
    const executions = known?.executions ?? (await executionsOf(db, device.id));
    const isRead = (part: FactPart): boolean => known?.parts?.has(part) ?? false;
    const facts = [...parts].every(isRead) ? known?.facts : undefined;
    const question: Question = { db, device, marks, executions, nowMs: this.#deps.clock.now(), facts };
    const rollouts = known?.rollouts ?? (await this.#concerning(question));
    // What was begun behind the marks may be newer than they are.
    ahead?.keep?.(device.id, { executions, rollouts }, device.id);
    return this.#firstOf(question, rollouts, poll);
  }

  /** The rollouts that may have a say over a device, as long as nothing is written: it is in them, or may fit their filters. */
  async #concerning(question: Question): Promise<RolloutRow[]> {
    const { db, marks, executions, nowMs } = question;
    const found: RolloutRow[] = [];
    for (const read of marks.rollouts) {
      const { id, state, filter: text } = asLocked(db, read);
      if (text !== null && !executions.some(({ rollout_id }) => rollout_id === id)) {
        if (state !== 'running') continue;
        const filter = keptFilter(text);
        // Most devices are in none of many rollouts: to leave one that they do not fit costs them no turn of their own.
        question.facts ??= await this.#factsOf(question);
        if (!changesByItself(filter) && !(question.facts && fitsFilter(filter, question.facts, nowMs))) continue;
      }
      found.push(read);
    }
    return found;
  }

  #factsOf({ db, device, marks }: Question): Promise<DeviceFacts | undefined> {
    return this.#readFacts(db, device.id, this.#partsFor(device.product_id, marks));
  }

  async #fits(question: Question, text: string): Promise<boolean> {
    question.facts ??= await this.#factsOf(question);
    return question.facts !== undefined && fitsFilter(keptFilter(text), question.facts, question.nowMs);
  }

  async #firstOf(question: Question, rollouts: readonly RolloutRow[], poll: Poll): Promise<Standing['rollout']> {
    const { db, executions } = question;
    for (const read of rollouts) {
      const rollout = asLocked(db, read);
      const { id, title } = rollout;
      const execution = executions.find(({ rollout_id }) => rollout_id === id);
      if (execution && waitsToReturn(rollout.state, execution)) {
        const waits = !(await this.#mayReturn(question, rollout, poll));
        return { id, title, bundleId: execution.bundle_id, isNew: !waits, waits, ...plain };
      }
      const isCalledOff = execution?.bundle_id === rollout.bundle_id && onlyBringsBack(rollout.state, execution.state);
      if (execution && !isCalledOff && holds(rollout.state, execution.state)) {
        poll.isSoon ||= execution.state !== 'done';
        const isRunning = rollout.state === 'running' || rollout.state === 'paused';
        const mayContradict = isRunning && (execution.state === 'done' || execution.state === 'probation');
        const install = await this.#installOf(question, settingsOf(rollout));
        return { id, title, bundleId: execution.bundle_id, isNew: false, mayContradict, install };
      }
      const mayWait = !execution || mayEnter.includes(execution.state);
      if (rollout.state !== 'running' || !mayWait) continue;
      if (await this.#isTurn(question, rollout, execution, poll)) {
        poll.isSoon = true;
        const install = await this.#installOf(question, settingsOf(rollout));
        return { id, title, bundleId: rollout.bundle_id, isNew: true, mayContradict: false, install };
      }
    }
    return undefined;
  }

  /** How a device shall install what a rollout brings; `undefined` when the rollout says nothing. */
  async #installOf(
    question: Question,
    settings: RolloutSettings,
  ): Promise<NonNullable<Standing['rollout']>['install']> {
    const { force, window, download_only: isDownload } = settings;
    if (force === undefined && !window && !isDownload) return undefined;
    const opens = window?.download_outside ? await this.#opensAtMs(question, settings) : question.nowMs;
    const waitMs = isDownload ? downloadOnlyMs : opens - question.nowMs;
    return { force: forceAt(settings, question.nowMs), waitMs };
  }

  /** When the window of a rollout is open next for a device, epoch ms. */
  async #opensAtMs({ db, device, marks, nowMs }: Question, { window }: RolloutSettings): Promise<number> {
    if (!window) return nowMs;
    const label = await db
      .selectFrom('labels')
      .select('value')
      .where('device_id', '=', device.id)
      .where('name', '=', 'tz')
      .executeTakeFirst();
    return opensAtMs(window, zoneFor(window, label?.value, marks.zone), nowMs);
  }

  /** Whether a device may be offered the bundle of a running rollout now, and fits its filter still. */
  async #isTurn(
    question: Question,
    seen: RolloutRow,
    execution: ExecutionRow | undefined,
    poll: Poll,
  ): Promise<boolean> {
    const { storage } = this.#deps;
    const { db, executions, nowMs } = question;
    const settings = settingsOf(seen);
    // What does not change while the row is waited for is asked before.
    const stage = execution?.state === 'waiting' ? execution.stage : await this.#stageOf(question, seen, settings);
    if (stage === undefined || stage > seen.stage) return false;
    const opens = settings.window?.download_outside ? nowMs : await this.#opensAtMs(question, settings);
    const rollout = db === storage.db ? seen : await lockRollout(db, storage.expressions, seen.id);
    if (!rollout) return false;
    const counts = settings.pace?.open === undefined ? [] : await countsOf(db, rollout.id, settings.stages.length);
    const turn = {
      state: rollout.state,
      settings,
      openStage: rollout.stage,
      stage,
      dueAtMs: execution?.due_at ?? null,
      open: openOf(counts),
      paceFromMs: rollout.pace_from,
      paceCount: rollout.pace_count,
      opensAtMs: opens,
      restsUntilMs: restsUntilMs(settings, rollout.id, executions),
    };
    const why = whyWait(turn, nowMs);
    if (why === undefined && execution?.state === 'waiting') return this.#fitsStill(question, rollout, execution);
    if (why?.untilMs === undefined) poll.isSoon ||= why !== undefined;
    else poll.atMs = Math.min(poll.atMs ?? Number.POSITIVE_INFINITY, why.untilMs);
    return why === undefined;
  }

  /** Whether the pace of a rollout lets a device be brought back now. */
  async #mayReturn({ db, nowMs }: Question, seen: RolloutRow, poll: Poll): Promise<boolean> {
    const { storage } = this.#deps;
    const rollout = db === storage.db ? seen : await lockRollout(db, storage.expressions, seen.id);
    if (!rollout) return false;
    const settings = settingsOf(rollout);
    const counts = settings.pace?.open === undefined ? [] : await countsOf(db, rollout.id, settings.stages.length);
    const { pace_from: paceFromMs, pace_count: paceCount } = rollout;
    const why = whyPaced({ settings, open: openOf(counts), paceFromMs, paceCount }, nowMs);
    poll.isSoon = true;
    return why === undefined;
  }

  /** A device that waits for its turn leaves when it does not fit the filter any more. */
  async #fitsStill(question: Question, rollout: RolloutRow, execution: ExecutionRow): Promise<boolean> {
    if (rollout.filter === null) return true;
    const isFit = await this.#fits(question, rollout.filter);
    if (!isFit && question.db !== this.#deps.storage.db) await this.#deps.leave(question.db, execution);
    return isFit;
  }

  /** The stage in which a device would enter a rollout that it has not been in; `undefined` when it does not fit. */
  async #stageOf(
    question: Question,
    { filter, stage }: RolloutRow,
    { stages }: RolloutSettings,
  ): Promise<number | undefined> {
    if (filter !== null && !(await this.#fits(question, filter))) return undefined;
    for (const [index, { filter: ofStage }] of stages.entries()) {
      if (ofStage !== undefined && (await this.#fits(question, ofStage))) return Math.max(index, stage);
    }
    return stage;
  }
}
