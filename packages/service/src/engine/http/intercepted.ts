import type { EndpointShape } from '@moorage/api';
import { conditional, type Run, tagged } from './record-tags.ts';
import type { Handler, InterceptedCall, Interceptor } from './types.ts';

const blanks = /\{[^}]*\}/g;

/** The same values under the names that a path gives them which begins like another. */
function renamed(params: unknown, from: string, to: string): Readonly<Record<string, unknown>> {
  // Safe: the router makes this object.
  const given = params as Readonly<Record<string, unknown>>;
  const names = from.match(blanks) ?? [];
  const wanted = to.match(blanks) ?? [];
  return Object.fromEntries(wanted.map((name, at) => [name.slice(1, -1), given[names[at]?.slice(1, -1) ?? '']]));
}

/** The handler of an endpoint of a resource, with what goes around it. */
export function intercepted(
  contract: Readonly<Record<string, EndpointShape>>,
  handlers: Readonly<Record<string, unknown>>,
  name: string,
  intercept: Interceptor | undefined,
): Handler<never> {
  // Safe: it has the handler of each entry; params, query and body have passed the schemas that their types derive from.
  const runOf = (called: string) => handlers[called] as Run;
  // Safe: the contract has the name.
  const shape = contract[name] as EndpointShape;
  const go = intercept?.(shape, contract);
  /** What an endpoint of the resource answers to the same caller, of the same thing. */
  const read = async (call: InterceptedCall, other: string) => {
    const { caller, ip, headers, isEncrypted } = call;
    const params = renamed(call.params, shape.path, contract[other]?.path ?? '');
    return runOf(other)({ params, query: {}, body: undefined, caller, ip, headers, isEncrypted });
  };
  const run = conditional(tagged(runOf(name), name, contract), shape, contract, read);
  const wrapped: Run = go
    ? (call) =>
        go(
          call,
          async () => run(call),
          async (other) => {
            const found = await read(call, other);
            return found.ok ? found.value : undefined;
          },
        )
    : run;
  return wrapped as unknown as Handler<never>;
}
