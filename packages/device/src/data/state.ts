import { Capabilities, DataValue } from '@moorage/api';
import Type, { type Static } from 'typebox';
import { capabilityOf, type Datum, datumBytes } from './values.ts';

/** Most text of samples that wait to be pushed, in bytes. Reference: data-cloud 2.4. */
export const sampleCacheBytes = 1024;

const Values = Type.Array(Type.Object({ n: Type.String(), v: DataValue, t: Type.Integer() }));

const Control = Type.Object({
  v: DataValue,
  /** Epoch seconds; 0 while no time is known. */
  t: Type.Integer(),
  /** Number of the local write that the service has not acknowledged. */
  write: Type.Optional(Type.Integer()),
});

/** A value of a control that the service has sent by itself; `t` is epoch seconds. */
export const PushedControl = Type.Object({ n: Type.String(), v: DataValue, t: Type.Optional(Type.Integer()) });
export type PushedControl = Static<typeof PushedControl>;

/** The action of the message channel that brings such values. */
export const ControlAction = Type.Object({ controls: Type.Array(PushedControl, { maxItems: 16 }) });

/** What an activation makes of the device; kept without power. */
export const Activation = Type.Object({
  /** Name of the capabilities file. */
  file: Type.String(),
  capabilities: Capabilities,
  /** 16 hex digits, other ones for every activation: the ids of batches begin with them. */
  epoch: Type.String({ pattern: '^[0-9a-f]{16}$' }),
});
export type Activation = Static<typeof Activation>;

/** Samples and controls of one activation; kept without power. */
export const DataState = Type.Object({
  epoch: Type.String(),
  /** How many batches and messages there have been: its number is part of the id of each. */
  batches: Type.Integer(),
  /** How many local writes of controls there have been. */
  writes: Type.Integer(),
  /** Samples that are in no batch yet, oldest first. */
  samples: Values,
  controls: Type.Record(Type.String(), Control),
  /** What has been pushed, perhaps, and not been acknowledged. */
  batch: Type.Optional(Type.Object({ id: Type.String(), samples: Values, controls: Values, writes: Type.Integer() })),
  /** The last message that has been posted, perhaps: its key, its text's digest, and when it was first tried, in ms. */
  post: Type.Optional(Type.Object({ key: Type.String(), digest: Type.String(), atMs: Type.Integer() })),
});
export type DataState = Static<typeof DataState>;

/** Which direction a push takes along. */
export interface PushedKinds {
  readonly samples: boolean;
  readonly controls: boolean;
}

export const emptyState = (epoch: string): DataState => ({ epoch, batches: 0, writes: 0, samples: [], controls: {} });

/** Bytes of the cache in use; samples whose batch has not been acknowledged are still there. */
export const usedBytes = ({ samples, batch }: DataState): number =>
  [...(batch?.samples ?? []), ...samples].reduce((sum, sample) => sum + datumBytes(sample), 0);

/** The samples of these values fit into an empty cache. */
export const fitsCache = (samples: readonly Datum[]): boolean =>
  samples.reduce((sum, sample) => sum + datumBytes(sample), 0) <= sampleCacheBytes;

/**
 * Adds samples; the oldest go where there is no room. One that is in a batch may go, too: a batch that has shrunk is
 * either written as it is now, or has been written whole. Reference: data-cloud 3.2.
 */
export function withSamples(state: DataState, added: readonly Datum[]): DataState {
  const waiting = [...(state.batch?.samples ?? []), ...state.samples];
  let over = usedBytes(state) + added.reduce((sum, sample) => sum + datumBytes(sample), 0) - sampleCacheBytes;
  let dropped = 0;
  for (const sample of waiting) {
    if (over <= 0) break;
    over -= datumBytes(sample);
    dropped++;
  }
  const inBatch = state.batch?.samples.length ?? 0;
  return {
    ...state,
    samples: [...state.samples.slice(Math.max(0, dropped - inBatch)), ...added],
    ...(state.batch && dropped > 0 && { batch: { ...state.batch, samples: state.batch.samples.slice(dropped) } }),
  };
}

/** Sets controls from the device's side; they are to be pushed. */
export function withWrites(state: DataState, values: readonly Datum[]): DataState {
  const writes = state.writes + 1;
  const written = values.map(({ n, v, t }) => [n, { v, t, write: writes }] as const);
  return values.length === 0
    ? state
    : { ...state, writes, controls: { ...state.controls, ...Object.fromEntries(written) } };
}

const changedControls = ({ controls }: DataState): Datum[] =>
  Object.entries(controls).flatMap(([n, { v, t, write }]) => (write === undefined ? [] : [{ n, v, t }]));

/** There is something of these kinds to push, or to push again. */
export const hasUnpushed = (state: DataState, kinds: PushedKinds): boolean =>
  state.batch !== undefined ||
  (kinds.samples && state.samples.length > 0) ||
  (kinds.controls && changedControls(state).length > 0);

/** How long a message of the same text counts as one that is tried again, in ms. */
const repostMs = 600_000;

/**
 * Gives a message the key under which the service keeps it once. One of the same text whose fate is not known has its
 * key already, for as long as a host tries again; later the same text is news.
 */
export function withPost(state: DataState, digest: string, nowMs: number): DataState {
  const { post } = state;
  const isAgain = post?.digest === digest && nowMs >= post.atMs && nowMs - post.atMs < repostMs;
  if (isAgain) return state;
  const batches = state.batches + 1;
  return { ...state, batches, post: { key: idOf(state.epoch, batches), digest, atMs: nowMs } };
}

/** The service has the message with that key. */
export function withoutPost(state: DataState, key: string): DataState {
  const { post, ...rest } = state;
  return post?.key === key ? rest : state;
}

const idOf = (epoch: string, count: number): string => `${epoch}${count.toString(16).padStart(8, '0')}`;

/** Puts what is to be pushed into a batch with an id that no other one ever has; a batch that is there already stays. */
export function withBatch(state: DataState, kinds: PushedKinds): DataState {
  if (!hasUnpushed(state, kinds) || state.batch) return state;
  const batches = state.batches + 1;
  return {
    ...state,
    batches,
    samples: kinds.samples ? [] : state.samples,
    batch: {
      id: idOf(state.epoch, batches),
      samples: kinds.samples ? state.samples : [],
      controls: kinds.controls ? changedControls(state) : [],
      writes: state.writes,
    },
  };
}

/** The service has the batch, or never wants it. Controls that were written again meanwhile are still to be pushed. */
export function withoutBatch(state: DataState, id: string): DataState {
  const { batch, ...rest } = state;
  if (batch?.id !== id) return state;
  const pushed = new Set(batch.controls.map(({ n }) => n));
  const controls = Object.entries(state.controls).map(([name, control]) => {
    const { write, ...value } = control;
    return [name, pushed.has(name) && write !== undefined && write <= batch.writes ? value : control] as const;
  });
  return { ...rest, controls: Object.fromEntries(controls) };
}

/**
 * Takes controls from the service: they win unless ours are newer, or are still to be pushed. What the capabilities do
 * not have is left out. Spec: MOD-DATA-pull.
 */
export function withPulled(state: DataState, values: readonly Datum[], { controls }: Capabilities): DataState {
  const taken = values.filter(({ n, v, t }) => {
    const own = Object.hasOwn(state.controls, n) ? state.controls[n] : undefined;
    if (capabilityOf(controls, n) === undefined || own?.write !== undefined) return false;
    return own === undefined || (t >= own.t && !(own.t === t && own.v === v));
  });
  if (taken.length === 0) return state;
  const pulled = taken.map(({ n, v, t }) => [n, { v, t }] as const);
  return { ...state, controls: { ...state.controls, ...Object.fromEntries(pulled) } };
}

/** A control as it is now: its last value, else the default; `undefined` without either, or for no control. */
export function controlValue(
  state: DataState,
  { controls }: Capabilities,
  name: string,
): Pick<Datum, 'v' | 't'> | undefined {
  const capability = capabilityOf(controls, name);
  if (!capability) return undefined;
  const own = Object.hasOwn(state.controls, name) ? state.controls[name] : undefined;
  if (own) return own;
  const { default: value } = capability as { readonly default?: DataValue };
  return value === undefined ? undefined : { v: value, t: 0 };
}

/** The controls of these names, or all, that have a value. */
export const controlValues = (
  state: DataState,
  capabilities: Capabilities,
  names: readonly string[] = Object.keys(capabilities.controls ?? {}),
): readonly Datum[] =>
  names.flatMap((n) => {
    const value = controlValue(state, capabilities, n);
    return value ? [{ n, v: value.v, t: value.t }] : [];
  });
