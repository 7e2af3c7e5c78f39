import type { AnswerOf, Contract, EndpointName, ErrorCode, InputOf } from '@moorage/api';
import {
  keepPreviousData,
  type Query,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { type Answer, ApiError, call, onSessionChanged } from './client.ts';

export type Resource = keyof Contract;

/** Under what a call's answer is kept: resource, action, input. What begins with a resource is of that resource. */
export const keyOf = <N extends EndpointName>(name: N, input: InputOf<N>): readonly unknown[] => [
  ...name.split('.'),
  input,
];

/** Attempts after a call that did not reach the service; a refusal stays one. */
const attempts = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < attempts && error instanceof ApiError && error.status === 0,
      // Events say when something has changed; until then what is there is right.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
    },
  },
});

// Whichever call it was: the page asks to sign in again.
onSessionChanged((found) => {
  if (found === 'over') queryClient.setQueryData(keyOf('session.get', {}), null);
  else void queryClient.invalidateQueries({ queryKey: keyOf('session.get', {}) });
});

export interface CallOptions {
  /** False: not yet. */
  readonly enabled?: boolean;
  /** Show the former answer while that for a changed input is on its way, as lists do. */
  readonly keepPrevious?: boolean;
  /** Ask again this often, in ms; for what no event reports. */
  readonly everyMs?: number;
  /** Too large to be asked for again at every event: only when it is shown anew, and as `everyMs` says. */
  readonly slow?: boolean;
}

/** The answer of a GET endpoint, kept and shared under its name and input, and renewed when events report changes. */
export const useCall = <N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  { enabled = true, keepPrevious = false, everyMs, slow = false }: CallOptions = {},
): UseQueryResult<Answer<N>, Error> =>
  useQuery({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }) => call(name, input, signal),
    enabled,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    meta: { slow },
  });

/** Has everything of these resources asked for again where it is shown. */
export const renew = (...resources: readonly Resource[]): Promise<void> =>
  Promise.all(resources.map((resource) => queryClient.invalidateQueries({ queryKey: [resource] }))).then(() => {});

const isSlow = ({ meta }: Query): boolean => meta?.slow === true;

/** Has everything below a key asked for again, but what is slow only when it is shown anew. */
const renewBelow = (queryKey: readonly unknown[]): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey, predicate: (query) => !isSlow(query) }),
    queryClient.invalidateQueries({ queryKey, predicate: isSlow, refetchType: 'none' }),
  ]);

/** Has everything of these resources asked for again because of events. */
export async function renewByEvents(...resources: readonly Resource[]): Promise<void> {
  // First whether a device has data at all: what shows none any more asks for none.
  const capabilities = resources.includes('data') ? renewBelow(['data', 'capabilities']) : undefined;
  await Promise.all(resources.filter((resource) => resource !== 'data').map((resource) => renewBelow([resource])));
  await capabilities;
  if (capabilities) await renewBelow(['data']);
}

/** Has everything of these resources asked for again where it is shown next, not where it is shown now: that is gone. */
export const outdate = (...resources: readonly Resource[]): Promise<void> =>
  Promise.all(
    resources.map((resource) => queryClient.invalidateQueries({ queryKey: [resource], refetchType: 'none' })),
  ).then(() => {});

export interface EditOptions {
  /** False: nothing is typed yet, and the form follows the record. */
  readonly isTouched?: boolean;
  /** False: there is no record yet. */
  readonly enabled?: boolean;
  /** What else the change is to be seen in. */
  readonly renews?: readonly Resource[];
}

/**
 * Sends what a form changes of a record that another call has read. It is refused where the record has changed since the form
 * began; sent again, it goes over that change.
 */
export function useEdit<N extends EndpointName, R extends EndpointName>(
  name: N,
  [read, of]: readonly [name: R, input: InputOf<R>],
  { isTouched = true, enabled = true, renews = [] }: EditOptions = {},
): (input: InputOf<N>) => Promise<AnswerOf<N>> {
  const now = useCall(read, of, { enabled }).data?.headers.get('etag') ?? undefined;
  const began = useRef(now);
  if (!isTouched || began.current === undefined) began.current = now;
  return async (input) => {
    // Safe: every name begins with its resource.
    const resource = read.split('.', 1) as readonly Resource[];
    try {
      const { value } = await call(name, input, undefined, began.current);
      began.current = undefined;
      void renew(...resource, ...renews);
      return value;
    } catch (error) {
      if (error instanceof ApiError && error.code === ('RECORD_CHANGED' satisfies ErrorCode)) {
        await renew(...resource);
        began.current = undefined;
      }
      throw error;
    }
  };
}

/** An endpoint that changes something. `renews` names what the change is to be seen in, beside what events report. */
export const useChange = <N extends EndpointName>(
  name: N,
  ...renews: readonly Resource[]
): UseMutationResult<AnswerOf<N>, Error, InputOf<N>> =>
  useMutation({
    mutationFn: async (input: InputOf<N>) => (await call(name, input)).value,
    onSuccess: () => void renew(...renews),
  });
