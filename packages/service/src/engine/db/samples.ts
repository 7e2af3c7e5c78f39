import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Row, Schema } from './schema.ts';

/** One sample of a batch, on its way into the database. */
export interface NewSample {
  readonly name: string;
  readonly atMs: number;
  readonly value: number | string;
}

/** Samples that a device sent together, under an id of its own choice. */
export interface SampleBatch {
  readonly deviceId: string;
  readonly batch: string;
  /** When it came. */
  readonly atMs: number;
  readonly samples: readonly NewSample[];
}

/** Part of a stream. */
export interface SampleRange {
  readonly deviceId: string;
  readonly name: string;
  /** Epoch milliseconds: from this on, and up to but not including that. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
}

export type SampleRow = Pick<Row<'samples'>, 'at' | 'number' | 'text'>;

/** What the samples of one interval come to. */
export interface Bucket {
  /** Start of the interval, epoch milliseconds. */
  readonly at: number;
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** The last text; only of streams of texts. */
  readonly text: string | null;
}

/** Where samples are kept. All that the service knows of it: another store could take them. */
export interface Samples {
  /**
   * Writes a batch once, however often it comes. Batches that come together are committed together; resolves when this
   * one is durable. A batch of a device that is gone is dropped. Spec: API-DATA-once.
   */
  append(batch: SampleBatch): Promise<void>;
  /** The newest samples of a range, oldest first. */
  query(range: SampleRange): Promise<SampleRow[]>;
  /** The newest intervals of a range that have samples, oldest first. Spec: API-DATA-down-sampling. */
  buckets(range: SampleRange, intervalMs: number, texts: boolean): Promise<Bucket[]>;
  /** The last sample of each stream of a device, by name. */
  last(deviceId: string): Promise<ReadonlyMap<string, SampleRow>>;
  /**
   * Removes the samples of devices, in the transaction that forgets the rest of them. The names of its streams stay: a
   * process that knows them does not ask again whether they are there.
   */
  forget(trx: Kysely<Schema>, deviceIds: readonly string[]): Promise<void>;
  /** Removes samples from before `beforeMs` and makes room for those of the weeks to come; both epoch ms. */
  maintain(nowMs: number, beforeMs: number): Promise<void>;
}

/** The columns of a sample's value. */
export const valueColumns = (value: number | string): readonly [number: number | null, text: string | null] =>
  typeof value === 'number' ? [value, null] : [null, value];

const sequenceEnd = 2 ** 31;
let sequence = randomInt(sequenceEnd);

/**
 * Numbers that grow from sample to sample, so that those of one millisecond stay in order. Processes start at
 * random: two that write the same stream in the same millisecond do not meet.
 *
 * @returns the number before the first of `count` that are taken
 */
export function takeSequences(count: number): number {
  if (sequence + count >= sequenceEnd) sequence = 0;
  const before = sequence;
  sequence += count;
  return before;
}

/** The next one. */
export const nextSequence = (): number => takeSequences(1) + 1;
