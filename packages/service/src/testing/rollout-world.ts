import type { ExecutionState, RolloutSettings, RolloutState, UpdateState } from '@moorage/api';
import { transition, versionSortKey } from '@moorage/base';
import { expect } from 'vitest';
import { type Facts, movesFor } from '../extensions/fleet/rollouts/moves.ts';
import {
  type ExecutionTrigger,
  executionTransitions,
  goesOn,
  holds,
  noCounts,
  openOf,
  type RolloutTrigger,
  rolloutTransitions,
  type StageCounts,
  settle,
  takenStates,
} from '../extensions/fleet/rollouts/rules.ts';

/**
 * A world of a few devices and rollouts in which anything may follow anything: the rules of rollouts and `movesFor` are
 * walked through all of its states up to a depth, and what must hold is asked in each.
 */

interface Update {
  readonly to: number;
  /** The step in which a person has said so. */
  readonly meant: number;
  readonly state: UpdateState;
}

export interface Device {
  readonly product: 'p' | 'q';
  readonly blocked: boolean;
  readonly pinned: boolean;
  readonly fits: boolean;
  /** The version that it runs, and since which step. */
  readonly runs: number;
  readonly since: number;
  /** The step in which a person has said that it shall. */
  readonly meant: number;
  readonly update: Update | undefined;
}

interface Execution {
  readonly state: ExecutionState;
  readonly kind: string | null;
  readonly stage: number;
  readonly isOwn: boolean;
  readonly inForce: boolean;
  readonly at: number;
}

export interface Rollout {
  readonly version: number;
  readonly priority: number;
  readonly filtered: boolean;
  readonly state: RolloutState;
  readonly stage: number;
  readonly started: number;
  readonly of: readonly (Execution | undefined)[];
}

export interface World {
  readonly step: number;
  readonly tag: number;
  readonly tagAt: number;
  readonly devices: readonly Device[];
  readonly rollouts: readonly Rollout[];
}

export const settings: RolloutSettings = { stages: [{ count: 1, gate: { done_percent: 50 } }, {}], pace: { open: 1 } };

const replaced = <T>(list: readonly T[], at: number, change: Partial<T>): T[] =>
  list.map((one, place) => (place === at ? { ...one, ...change } : one));
const withDevice = (world: World, d: number, change: Partial<Device>): World => ({
  ...world,
  devices: replaced(world.devices, d, change),
});
const withRollout = (world: World, r: number, change: Partial<Rollout>): World => ({
  ...world,
  rollouts: replaced(world.rollouts, r, change),
});

const deviceAt = (world: World, d: number): Device => world.devices[d] ?? expect.unreachable();
const rolloutAt = (world: World, r: number): Rollout => world.rollouts[r] ?? expect.unreachable();

/** Writes what a rollout has of a device; the last one that has taken it decides. */
function put(world: World, r: number, d: number, execution: Omit<Execution, 'inForce' | 'at'>): World {
  const isTaken = takenStates.includes(execution.state);
  const inForce = isTaken || execution.state === 'waiting';
  return {
    ...world,
    rollouts: world.rollouts.map((rollout, place) => ({
      ...rollout,
      of: rollout.of.map((one, at) => {
        if (at !== d) return one;
        if (place === r) return { ...execution, inForce, at: world.step };
        // A device has one update that is open.
        const other = one && execution.isOwn ? { ...one, isOwn: false } : one;
        return other && isTaken && takenStates.includes(other.state) ? { ...other, inForce: false } : other;
      }),
    })),
  };
}

export function countsOf({ of }: Rollout): StageCounts[] {
  return settings.stages.map((_, stage) => {
    const states = { ...noCounts.states };
    for (const one of of) if (one?.stage === stage) states[one.state]++;
    return { states, failures: {} };
  });
}

function triggered(world: World, r: number, trigger: RolloutTrigger): World {
  const state = transition(rolloutTransitions, rolloutAt(world, r).state, trigger);
  return state === undefined ? world : withRollout(world, r, { state });
}

function settled(world: World, r: number): World {
  for (let now = world; ; ) {
    const rollout = rolloutAt(now, r);
    if (rollout.state !== 'running') return now;
    const progress = { settings, stage: rollout.stage, counts: countsOf(rollout), gateAtMs: null };
    const outcome = settle({ ...progress, signalled: false, signalUntilMs: null }, now.step);
    if (outcome.kind === 'next') now = withRollout(now, r, { stage: rollout.stage + 1 });
    else if (outcome.kind === 'wait') return now;
    else return triggered(now, r, outcome.kind === 'finish' ? 'finish' : outcome.action);
  }
}

/** A device moves in a rollout. A move that is not in the table changes nothing. */
function moved(
  world: World,
  r: number,
  d: number,
  trigger: ExecutionTrigger,
  change: { readonly kind?: string | null; readonly stage?: number; readonly isOwn?: boolean } = {},
): World {
  const known = rolloutAt(world, r).of[d];
  const state = known && transition(executionTransitions, known.state, trigger);
  if (!known || state === undefined) return world;
  const { kind = known.kind, stage = known.stage, isOwn = known.isOwn } = change;
  return settled(put(world, r, d, { kind, stage, isOwn, state }), r);
}

const nameOf = (r: number): string => `r${r}`;
const versionOf = (version: number): string => `1.0.0.${version}`;

export function factsOf(world: World, d: number): Facts {
  const device = deviceAt(world, d);
  return {
    device: {
      id: 'd',
      product_id: device.product,
      state: device.blocked ? 'disabled' : 'active',
      isPinned: device.pinned,
      runs: { version: versionOf(device.runs), key: versionSortKey([1, 0, 0, device.runs]), since: device.since },
      last_seen_at: 0,
    },
    rollouts: world.rollouts.map((rollout, r) => ({
      id: nameOf(r),
      product_id: 'p',
      version: versionOf(rollout.version),
      state: rollout.state,
      priority: rollout.priority,
      stage: rollout.stage,
      started_at: rollout.started,
    })),
    executions: world.rollouts.flatMap(({ of }, r) => {
      const one = of[d];
      return one ? [{ rollout_id: nameOf(r), ...one, update_id: one.isOwn ? 1 : null, changed_at: one.at }] : [];
    }),
    updateOf: ({ update_id }) =>
      update_id !== null && device.update
        ? { state: device.update.state, installed_at: null, finished_at: null }
        : undefined,
    stageIn: ({ id }) => {
      const rollout = world.rollouts.find((_, r) => nameOf(r) === id);
      return rollout && (device.fits || !rollout.filtered) ? rollout.stage : undefined;
    },
  };
}

/** What follows for a device from what is so. */
function reconciled(world: World, d: number): World {
  let now = world;
  for (const { rolloutId, trigger, kind = null, stage } of movesFor(factsOf(world, d))) {
    const r = Number(rolloutId.slice(1));
    if (!goesOn(rolloutAt(now, r))) continue;
    const entered = { state: 'waiting', kind: null, stage: stage ?? 0, isOwn: false } as const;
    now =
      rolloutAt(now, r).of[d] === undefined
        ? settled(put(now, r, d, entered), r)
        : moved(now, r, d, trigger, { kind, ...(stage !== undefined && { stage }), isOwn: false });
  }
  return now;
}

/** The update of a device moves, and with it what the rollout that brings it has of the device. */
function updated(world: World, d: number, to: UpdateState, trigger: ExecutionTrigger): World {
  const { update } = deviceAt(world, d);
  if (!update || (update.state !== 'offered' && update.state !== 'installed')) return world;
  const now = withDevice(world, d, { update: { ...update, state: to } });
  const r = now.rollouts.findIndex(({ of }) => of[d]?.isOwn);
  const isOver = to === 'done' || to === 'failed' || to === 'superseded';
  return r < 0 ? now : moved(now, r, d, trigger, isOver && to !== 'done' ? { isOwn: false } : {});
}

/** Which rollout brings a device its version now, the first that decides; undefined where the tag does. */
function deciding(world: World, d: number): { readonly r: number; readonly isTurn: boolean } | undefined {
  const order = world.rollouts
    .map((rollout, r) => ({ rollout, r, execution: rollout.of[d] }))
    .filter(({ execution }) => execution?.inForce)
    .sort(
      ({ rollout: one }, { rollout: other }) =>
        Number(goesOn(other)) - Number(goesOn(one)) || other.priority - one.priority || other.started - one.started,
    );
  for (const { rollout, r, execution } of order) {
    if (!execution) continue;
    if (holds(rollout.state, execution.state)) return { r, isTurn: false };
    const hasRoom = openOf(countsOf(rollout)) === 0;
    const isTurn = rollout.state === 'running' && execution.state === 'waiting' && execution.stage <= rollout.stage;
    if (isTurn && hasRoom) return { r, isTurn };
  }
  return undefined;
}

/** A device asks: it takes what it is offered. Throws where that is an older version that no person has asked for. */
function asked(world: World, d: number): World {
  const device = deviceAt(world, d);
  if (device.blocked || device.product !== 'p' || device.pinned) return world;
  const by = deciding(world, d);
  const version = by ? rolloutAt(world, by.r).version : world.tag;
  const meant = by ? rolloutAt(world, by.r).started : world.tagAt;
  if (version < device.runs) {
    expect(meant, `device ${d} is taken from ${device.runs} to ${version} unasked`).toBeGreaterThan(device.meant);
  }
  const isNew = device.update?.to !== version || !['offered', 'installed'].includes(device.update.state);
  let now = world;
  if (version !== device.runs && isNew) {
    now = withDevice(updated(now, d, 'superseded', 'withdraw'), d, {
      update: { to: version, meant, state: 'offered' },
    });
  }
  if (!by?.isTurn) return now;
  now = moved(now, by.r, d, version === device.runs ? 'confirm' : 'offer', { isOwn: version !== device.runs });
  return reconciled(now, d);
}

/** A device restarts with what it was offered. */
function restarted(world: World, d: number): World {
  const { update } = deviceAt(world, d);
  if (update?.state !== 'offered' && update?.state !== 'installed') return world;
  const now = withDevice(updated(world, d, 'done', 'confirm'), d, {
    runs: update.to,
    since: world.step,
    meant: update.meant,
  });
  return reconciled(now, d);
}

const changed = (change: (device: Device) => Partial<Device>) => (world: World, d: number) =>
  reconciled(withDevice(world, d, change(deviceAt(world, d))), d);

const ofDevice: Readonly<Record<string, (world: World, d: number) => World>> = {
  asks: asked,
  restarts: restarted,
  fails: (world, d) => updated(world, d, 'failed', 'fail'),
  'goes elsewhere': (world, d) =>
    changed(({ product }) => ({ product: product === 'p' ? 'q' : 'p', update: undefined }))(
      updated(world, d, 'superseded', 'withdraw'),
      d,
    ),
  'is blocked or let in': changed(({ blocked }) => ({ blocked: !blocked })),
  'is pinned or let go': changed(({ pinned }) => ({ pinned: !pinned })),
  'is labelled anew': changed(({ fits }) => ({ fits: !fits })),
};

function started(world: World, r: number): World {
  if (rolloutAt(world, r).state !== 'draft') return world;
  let now = withRollout(triggered(world, r, 'start'), r, { started: world.step });
  world.devices.forEach((device, d) => {
    if (device.product !== 'p' || (rolloutAt(now, r).filtered && !device.fits)) return;
    const isTaken = now.rollouts.some(
      (other) =>
        goesOn(other) &&
        other.priority > rolloutAt(now, r).priority &&
        takenStates.includes(other.of[d]?.state ?? 'failed'),
    );
    const held = device.blocked ? 'blocked' : device.pinned ? 'pinned' : undefined;
    const state = held ? 'skipped' : isTaken ? 'overtaken' : 'waiting';
    now = put(now, r, d, { state, kind: held ?? null, stage: Math.min(d, 1), isOwn: false });
  });
  return settled(now, r);
}

const ofRollout: Readonly<Record<string, (world: World, r: number) => World>> = {
  starts: started,
  pauses: (world, r) => triggered(world, r, 'pause'),
  'goes on': (world, r) => settled(triggered(world, r, 'resume'), r),
  'is aborted': (world, r) => triggered(world, r, 'abort'),
};

/** A tag that all devices follow moves: rollouts that are over let go of them. */
const tagged = (world: World, tag: number): World => ({
  ...world,
  tag,
  tagAt: world.step,
  rollouts: world.rollouts.map((rollout) =>
    goesOn(rollout) || rollout.state === 'draft'
      ? rollout
      : { ...rollout, of: rollout.of.map((one) => one && { ...one, inForce: false }) },
  ),
});

/** All that may happen next, by what it is. */
export function* nextOf(world: World): Generator<readonly [what: string, next: World]> {
  const now = { ...world, step: world.step + 1 };
  for (let d = 0; d < now.devices.length; d++)
    for (const [what, happens] of Object.entries(ofDevice)) yield [`device ${d} ${what}`, happens(now, d)];
  for (let r = 0; r < now.rollouts.length; r++)
    for (const [what, happens] of Object.entries(ofRollout)) yield [`rollout ${r} ${what}`, happens(now, r)];
  for (const tag of [0, 2]) if (tag !== now.tag) yield [`the tag moves to ${tag}`, tagged(now, tag)];
}

const device: Device = {
  product: 'p',
  blocked: false,
  pinned: false,
  fits: true,
  runs: 0,
  since: 0,
  meant: 0,
  update: undefined,
};
/** A rollout that is drafted. */
const rollout = (version: number, more: Partial<Rollout> = {}): Rollout => ({
  version,
  priority: 0,
  filtered: false,
  state: 'draft',
  stage: 0,
  started: 0,
  of: [undefined, undefined],
  ...more,
});
/** Two devices that run version 0, and some rollouts. */
const world = (...rollouts: Rollout[]): World => ({ step: 0, tag: 0, tagAt: 0, devices: [device, device], rollouts });

/** What the model of rollouts begins with. */
export const beginnings: readonly (readonly [what: string, begin: World])[] = [
  ['an older and a newer one', world(rollout(1), rollout(2))],
  ['two of the same bundle', world(rollout(1), rollout(1))],
  ['one with a filter that comes first', world(rollout(1, { filtered: true, priority: 5 }), rollout(2))],
];
