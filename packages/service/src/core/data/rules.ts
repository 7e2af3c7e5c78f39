import {
  type Capabilities,
  type ControlCapability,
  type DataValue,
  type MessageBox,
  type Refusal,
  refusal,
  type StreamCapability,
  valueProblem,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Static } from 'typebox';

/** An earlier time is one of a clock that was never set: 2000-01-01, epoch ms. */
const clocksBeginMs = 946_684_800_000;

/**
 * Epoch milliseconds of a time on the wire; the service's own where the device gives none, and where its clock cannot be
 * right: what lies ahead, or before there were such devices, counts as now. So no clock of a device decides what is the
 * newest, and what is as old as it says stays so. Spec: API-DATA-server-time.
 */
export function arrivalMs(wireSeconds: number | undefined, nowMs: number): number {
  const atMs = (wireSeconds ?? 0) * 1000;
  return atMs < clocksBeginMs || atMs > nowMs ? nowMs : atMs;
}

/** Epoch seconds, as modules count. */
export const wireSeconds = (atMs: number): number => Math.floor(atMs / 1000);

type Kind = 'stream' | 'control';
type CapabilityOf<K extends Kind> = Static<K extends 'stream' ? typeof StreamCapability : typeof ControlCapability>;

/** Where a request has a name and its value. */
export interface DataPlace {
  readonly name: NonNullable<Refusal['validation']>;
  readonly value: NonNullable<Refusal['validation']>;
}

const inPath: DataPlace = {
  name: { source: 'params', keys: ['name'] },
  value: { source: 'body', keys: ['value'] },
};

/** What the capabilities say of a name. Refusals: UNKNOWN_DATA. */
export function described<K extends Kind>(
  capabilities: Capabilities,
  kind: K,
  name: string,
  place = inPath,
): Result<CapabilityOf<K>, Refusal> {
  const entries = kind === 'stream' ? capabilities.streams : capabilities.controls;
  // The names of the record come from a file: one like "constructor" must not find what every object has.
  const found = entries && Object.hasOwn(entries, name) ? entries[name] : undefined;
  // Safe: the entry is of the record that belongs to the kind.
  return found ? success(found as CapabilityOf<K>) : failure(refusal('UNKNOWN_DATA', { kind, name }, place.name));
}

/** Whether a value may be written. Refusals: UNKNOWN_DATA, WRONG_VALUE. */
export function refuseValue(
  capabilities: Capabilities,
  kind: Kind,
  name: string,
  value: DataValue,
  place = inPath,
): Refusal | undefined {
  const capability = described(capabilities, kind, name, place);
  if (!capability.ok) return capability.error;
  const problem = valueProblem(value, capability.value);
  return problem === undefined ? undefined : refusal('WRONG_VALUE', { name, problem }, place.value);
}

/** Whether the device has a box. Refusals: NO_MESSAGE_BOX. */
export const refuseBox = (capabilities: Capabilities, box: MessageBox): Refusal | undefined =>
  capabilities.messages?.[box] ? undefined : refusal('NO_MESSAGE_BOX', { box });

/** A value of the table of samples. */
export const sampleValue = (row: { readonly number: number | null; readonly text: string | null }): DataValue =>
  row.number ?? row.text ?? '';
