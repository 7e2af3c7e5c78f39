import { randomInt } from 'node:crypto';

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

/**
 * Writes a batch once, however often it comes. Batches that come together are committed together; resolves when this
 * one is durable. A batch of a device that is gone is dropped. Spec: API-DATA-once.
 */
export type WriteSamples = (batch: SampleBatch) => Promise<void>;

/** The columns of a sample's value. */
export const valueColumns = (value: number | string): readonly [number: number | null, text: string | null] =>
  typeof value === 'number' ? [value, null] : [null, value];

const sequenceEnd = 2 ** 31;
let sequence = randomInt(sequenceEnd);

/**
 * A number that grows from sample to sample, so that those of one millisecond stay in order. Processes start at
 * random: two that write the same stream in the same millisecond do not meet.
 */
export function nextSequence(): number {
  sequence = (sequence + 1) % sequenceEnd;
  return sequence;
}
