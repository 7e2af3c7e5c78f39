import { createHash } from 'node:crypto';
import { type Audit, type EndpointShape, isBinary } from '@moorage/api';
import { dayMs } from '@moorage/base';
import type { Row } from '../../engine/db/schema.ts';
import { type About, loggedThing, type Seen } from './recording.ts';

/** Texts are cut there, and lists. */
const textLength = 200;
const listLength = 20;

/** What stands for a value that is not kept: it is long, or may be a secret. */
const hidden = '…';
const secretName = /pass|secret|token|psk|key|challenge/i;

/** Fields by which a deleted thing is recognised. */
const telling = [
  'title',
  'name',
  'username',
  'email',
  'code',
  'product',
  'role',
  'state',
  'tag',
  'version',
  'filter',
  'reason',
  'uuid',
  'mac',
];

/** What was sent or read, by the names of its fields. */
export type Fields = Readonly<Record<string, unknown>>;

interface Node {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
}

// Safe: what the contract describes bodies and replies with is JSON Schema.
const nodeOf = (schema: unknown): Node => (schema ?? {}) as Node;

/** Whether no value of a field can be a secret: a number, a choice, an id. */
const isPlain = ({ type, format, enum: words, const: only, anyOf, items }: Node): boolean => {
  if (anyOf) return anyOf.every(isPlain);
  if (type === 'array') return items !== undefined && isPlain(items);
  return (
    words !== undefined || only !== undefined || format === 'uuid' || /^(boolean|integer|number|null)$/.test(type ?? '')
  );
};

function short(value: unknown): unknown {
  if (typeof value === 'string') return value.length > textLength ? `${value.slice(0, textLength)}${hidden}` : value;
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (!Array.isArray(value) || value.some((one) => typeof one === 'object' && one !== null)) return hidden;
  return [...value.slice(0, listLength).map(short), ...(value.length > listLength ? [hidden] : [])];
}

/** What a request says, of which a part is kept. */
export interface AuditedRequest {
  readonly body: Fields;
  readonly params: Fields;
  readonly query: Fields;
  /** The record as the caller could read it before; empty where they could not. */
  readonly record: Fields;
}

const textOf = (fields: Fields): string | undefined =>
  Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields);

/** Fields that the record of an endpoint shows, or the reply to it: a reader of those sees their values. */
const fieldsOf = (...shapes: readonly (EndpointShape | undefined)[]): ReadonlySet<string> =>
  new Set(
    shapes.flatMap((shape) =>
      shape && !isBinary(shape.reply) ? Object.keys(nodeOf(shape.reply).properties ?? {}) : [],
    ),
  );

/**
 * What of a request to an endpoint stands in the audit: the fields that it changes, with their values where these are
 * short and no secret. Spec: API-RULE-audit-1.
 *
 * @param read the endpoint that reads the same record
 */
export function changedFields(shape: EndpointShape, read: EndpointShape | undefined) {
  const seen = fieldsOf(read, shape);
  const body = nodeOf(shape.body).properties ?? {};
  const query = nodeOf(shape.query).properties ?? {};
  const isShown = (name: string, node: Node): boolean => !secretName.test(name) && (seen.has(name) || isPlain(node));
  /** What was sent under the names that the endpoint knows: others pass, and mean nothing. */
  const known = (sent: Fields, nodes: Readonly<Record<string, Node>>) =>
    Object.entries(nodes).flatMap(([name, node]) =>
      sent[name] === undefined ? [] : [{ name, value: sent[name], isShown: isShown(name, node) }],
    );
  const removes = shape.method === 'DELETE';
  return {
    /** Whether the record has to be read first. */
    needsRecord: removes || Object.keys(body).some((name) => seen.has(name)),
    /** Whether a request may be tried without effect, as an import may. */
    mayBePreview: 'preview' in body,
    texts(request: AuditedRequest): { readonly before: string | undefined; readonly after: string | undefined } {
      const before: Record<string, unknown> = {};
      const after: Record<string, unknown> = {};
      for (const { name, value, isShown } of known(request.body, body)) {
        const was = request.record[name];
        if (JSON.stringify(was) === JSON.stringify(value)) continue;
        after[name] = isShown ? short(value) : hidden;
        if (isShown && was !== undefined) before[name] = short(was);
      }
      for (const { name, value, isShown } of known(request.query, query)) after[name] = isShown ? short(value) : hidden;
      for (const [name, value] of Object.entries(request.params)) {
        if (!name.endsWith('_id') && name !== 'identifier' && name !== '*') after[name] = short(value);
      }
      if (removes) {
        for (const name of telling) {
          const was = request.record[name];
          if (was !== undefined && was !== null && !secretName.test(name)) before[name] = short(was);
        }
      }
      return { before: textOf(before), after: textOf(after) };
    },
  };
}

/** What a change is about, as its endpoint declares it. */
export function objectOf(
  { what: kind, id }: Exclude<Audit, { none: string }>,
  params: Fields,
  userId: string | undefined,
  { log, made }: Seen,
): About['object'] {
  if (id === undefined) return { kind };
  if (id === 'made') return { kind, id: made };
  if (id === 'logged') return loggedThing(log);
  return { kind, id: id === 'caller' ? (userId ?? log?.userId) : String(params[id.slice('params.'.length)]) };
}

export type Link = Row<'audit'>;
export type Chain = Omit<Row<'audit_chain'>, 'id'>;

const noHash = '0'.repeat(64);
/** Where a chain without rows stands. */
export const emptyChain: Chain = { seq: 0, hash: noHash, dropped_seq: 0, dropped_hash: noHash };

/** The hash of a row: SHA-256, hex, over its values as one JSON array, that of the row before among them. */
export const hashOf = (row: Omit<Link, 'hash'>): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        row.seq,
        row.previous,
        row.at,
        row.user_id,
        row.user,
        row.token_id,
        row.token,
        row.ip,
        row.action,
        row.object_kind,
        row.object_id,
        row.product_id,
        row.message,
        row.before,
        row.after,
      ]),
    )
    .digest('hex');

/** A place of the chain that an administrator has noted elsewhere. */
export interface Noted {
  readonly seq: number;
  readonly hash: string;
}

/** How long rows are kept, in days, and the time at which that is checked. */
export interface Retention {
  /** 0 for good. */
  readonly days: number;
  readonly nowMs: number;
}

/** What is wrong with a chain, at its first row that is not right. */
export interface Fault {
  readonly seq: number;
  readonly text: string;
}

/** What is wrong with an audit whose rows stand there without the record of where their chain ends. */
export const headless: Fault = { seq: 1, text: 'The record of where the chain begins and ends is missing' };

const wrongNote = (seq: number): Fault => ({ seq, text: `Row ${seq} is not the one whose hash was noted` });

/** Follows a chain row by row. Spec: API-RULE-audit-2. */
export class ChainCheck {
  readonly #chain: Chain;
  readonly #retention: Retention;
  readonly #noted: Noted | undefined;
  #seq: number;
  #hash: string;
  /** Time of the oldest row that is kept, epoch ms. */
  #beginMs: number | undefined;

  constructor(chain: Chain, retention: Retention, noted?: Noted) {
    this.#chain = chain;
    this.#retention = retention;
    this.#noted = noted;
    this.#seq = chain.dropped_seq;
    this.#hash = chain.dropped_hash;
  }

  /** Number of the row that was right last. */
  get seq(): number {
    return this.#seq;
  }

  /** Takes the next row; returns what is wrong with it. */
  next(row: Link): Fault | undefined {
    const seq = this.#seq + 1;
    if (row.seq !== seq) return { seq, text: `Row ${seq} is missing` };
    if (row.previous !== this.#hash) return { seq, text: `Row ${seq} does not follow the row before it` };
    if (hashOf(row) !== row.hash) return { seq, text: `Row ${seq} was altered` };
    if (this.#noted?.seq === seq && this.#noted.hash !== row.hash) {
      return wrongNote(seq);
    }
    this.#seq = seq;
    this.#hash = row.hash;
    this.#beginMs ??= row.at;
    return undefined;
  }

  /** What is wrong behind the last row, with a noted one that is not kept, or with the begin of the chain. */
  end(): Fault | undefined {
    const { seq, hash } = this.#chain;
    if (this.#seq < seq) return { seq: this.#seq + 1, text: `Row ${this.#seq + 1} is missing` };
    if (this.#hash !== hash) return { seq, text: `Row ${seq} is not the one that the chain ended with` };
    return this.#wrongNoted() ?? this.#wrongBegin();
  }

  #wrongNoted(): Fault | undefined {
    if (!this.#noted) return undefined;
    const { seq, dropped_seq, dropped_hash } = this.#chain;
    const { seq: noted } = this.#noted;
    if (noted > seq)
      return { seq: seq + 1, text: `The chain ends with row ${seq}, before the one whose hash was noted` };
    if (noted < dropped_seq) return { seq: noted, text: `Row ${noted}, whose hash was noted, is not kept any more` };
    return noted === dropped_seq && this.#noted.hash !== dropped_hash ? wrongNote(noted) : undefined;
  }

  /** Rows that went were older than the oldest that is kept, whose time is part of its hash. */
  #wrongBegin(): Fault | undefined {
    const seq = this.#chain.dropped_seq + 1;
    if (this.#beginMs === undefined) return { seq, text: 'There are no rows, though a sign-in leaves one' };
    const { days, nowMs } = this.#retention;
    if (seq === 1) return undefined;
    if (days > 0 && this.#beginMs < nowMs - days * dayMs) return undefined;
    const kept = days > 0 ? `for ${days} days` : 'for good';
    const text = `Rows before row ${seq} went too early: rows are kept ${kept}, and row ${seq} is younger`;
    return { seq, text: `${text}; or they were kept for less time then` };
  }
}
