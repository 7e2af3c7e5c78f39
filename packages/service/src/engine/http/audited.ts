import { type EndpointShape, isBinary } from '@moorage/api';
import type { Audited, AuditedCall, Handler } from './types.ts';

type Run = (call: AuditedCall) => ReturnType<Handler<EndpointShape>>;

/** An endpoint with its handler, whose calls have what its entry says. */
export interface Mounted {
  readonly shape: EndpointShape;
  readonly handler: Handler<never>;
}

const blanks = /\{[^}]*\}/g;
const shapeOf = (path: string): string => path.replace(blanks, '{}');

/** What reads the record that an endpoint changes: by the same path, or by the one that it goes on from. */
function readerOf({ path }: EndpointShape, beside: readonly Mounted[]): Mounted | undefined {
  const wanted = shapeOf(path);
  return beside
    .filter(({ shape }) => shape.method === 'GET' && shape.auth === 'bearer' && !shape.query && !isBinary(shape.reply))
    .filter(({ shape }) => wanted === shapeOf(shape.path) || wanted.startsWith(`${shapeOf(shape.path)}/`))
    .filter(({ shape }) => wanted === shapeOf(shape.path) || shape.path.endsWith('}'))
    .toSorted((one, other) => one.shape.path.split('/').length - other.shape.path.split('/').length)
    .at(-1);
}

/** The same values under the names that another path gives them. */
function renamed(params: unknown, from: string, to: string): Readonly<Record<string, unknown>> {
  // Safe: the router makes this object.
  const given = params as Readonly<Record<string, unknown>>;
  const names = from.match(blanks) ?? [];
  const wanted = to.match(blanks) ?? [];
  return Object.fromEntries(wanted.map((name, at) => [name.slice(1, -1), given[names[at]?.slice(1, -1) ?? '']]));
}

/** The handler of an endpoint, whose changes leave a row in the audit. */
export function auditedHandler(
  { shape, handler }: Mounted,
  beside: readonly Mounted[],
  audit: Audited | undefined,
): Handler<never> {
  if (!audit || (shape.auth !== 'bearer' && shape.auth !== 'none')) return handler;
  // Who has shown no token reads nothing.
  const reader = shape.auth === 'bearer' ? readerOf(shape, beside) : undefined;
  const audited = audit(shape, reader?.shape);
  if (!audited) return handler;
  // Safe: params, query and body have passed the schemas that the handlers' types derive from.
  const run = handler as unknown as Run;
  const read = reader?.handler as unknown as Run | undefined;
  const wrapped: Run = (call) =>
    audited(
      call,
      async () => run(call),
      async () => {
        if (!reader || !read) return undefined;
        const { caller, ip, headers, isEncrypted } = call;
        const params = renamed(call.params, shape.path, reader.shape.path);
        const found = await read({ params, query: {}, body: undefined, caller, ip, headers, isEncrypted });
        return found.ok ? found.value : undefined;
      },
    );
  return wrapped as unknown as Handler<never>;
}
