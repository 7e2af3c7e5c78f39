import { hash } from 'node:crypto';
import { type EndpointShape, isConditional, type Refusal, refusal } from '@moorage/api';
import { failure, type Result } from '@moorage/base';
import { type Handler, HeadedReply, type InterceptedCall } from './types.ts';

type Contract = Readonly<Record<string, EndpointShape>>;
export type Run = (call: InterceptedCall) => ReturnType<Handler<EndpointShape>>;

/** The fields of a record that changes beside its endpoint set, in the order of their names; none where nothing is conditional. */
function fieldsOf(name: string, beside: Contract): readonly string[] {
  const changes = Object.values(beside).filter((shape) => isConditional(shape) && shape.audit.read === name);
  const fields = changes.flatMap(({ body }) => Object.keys((body && 'properties' in body && body.properties) || {}));
  // What is set as yes or no may be shown as when it was.
  return [...new Set(fields)].sort().flatMap((field) => [field, `${field}_at`]);
}

/** The ETag of a record: of what a form may set alone, for counts and times move by themselves. Reference: api 3.3. */
const tagOf = (record: unknown, fields: readonly string[]): string => {
  const values = record as Readonly<Record<string, unknown>>;
  return `"${hash('sha256', JSON.stringify(fields.map((field) => values[field] ?? null)), 'hex').slice(0, 32)}"`;
};

const recordIn = (reply: unknown): unknown => (reply instanceof HeadedReply ? reply.value : reply);

/** A reader whose records have an ETag, where a change beside it takes one. */
export function tagged(run: Run, name: string, beside: Contract): Run {
  const fields = fieldsOf(name, beside);
  if (fields.length === 0) return run;
  return async (call) => {
    const found = await run(call);
    if (!found.ok) return found;
    const { headers = {} } = found.value instanceof HeadedReply ? found.value : {};
    const record = recordIn(found.value);
    return { ok: true, value: new HeadedReply(record as never, { ...headers, etag: tagOf(record, fields) }) };
  };
}

/**
 * A change that is refused where If-Match names a record as it was before another change. The record is read before the
 * change begins, not within it: two that are sent within the same milliseconds are both carried out. Spec: API-ERR-412.
 *
 * @param read what an endpoint beside it answers to the caller of a call, of the same thing
 */
export function conditional(
  run: Run,
  shape: EndpointShape,
  beside: Contract,
  read: (call: InterceptedCall, name: string) => Promise<Result<unknown, Refusal>>,
): Run {
  if (!isConditional(shape)) return run;
  const { read: name } = shape.audit;
  const fields = fieldsOf(name, beside);
  return async (call) => {
    const wanted = call.headers['if-match'];
    if (typeof wanted !== 'string' || wanted.trim() === '*') return run(call);
    const found = await read(call, name);
    const tag = found.ok ? tagOf(recordIn(found.value), fields) : undefined;
    const isSame = tag === undefined || wanted.split(',').some((one) => one.trim() === tag);
    return isSame ? run(call) : failure(refusal('RECORD_CHANGED'));
  };
}
