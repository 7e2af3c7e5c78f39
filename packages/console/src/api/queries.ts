import type { AnswerOf, Contract, EndpointName, InputOf, Reply } from '@moorage/api';
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { ApiError, call } from './client.ts';

export type Resource = keyof Contract;

/** Under what a call's answer is kept: resource, action, input. What begins with a resource is of that resource. */
export const keyOf = <N extends EndpointName>(name: N, input: InputOf<N>): readonly unknown[] => [
  ...name.split('.'),
  input,
];

/** Whoever is told that the session is over looks at it again, and finds the page that signs in. */
function noticeSignOut(error: Error): void {
  if (error instanceof ApiError && error.status === 401) queryClient.setQueryData(keyOf('session.get', {}), null);
}

/** Attempts after a call that did not reach the service; a refusal stays one. */
const attempts = 2;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({ onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      retry: (count, error) => count < attempts && error instanceof ApiError && error.status === 0,
      // Events say when something has changed; until then what is there is right.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
    },
  },
});

export interface CallOptions {
  /** False: not yet. */
  readonly enabled?: boolean;
  /** Show the former answer while that for a changed input is on its way, as lists do. */
  readonly keepPrevious?: boolean;
  /** Ask again this often, in ms; only for what no event tells of. */
  readonly everyMs?: number;
}

/** The answer of a GET endpoint, kept and shared under its name and input, and renewed when events tell of changes. */
export const useCall = <N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  { enabled = true, keepPrevious = false, everyMs }: CallOptions = {},
): UseQueryResult<Reply<AnswerOf<N>>, Error> =>
  useQuery({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }) => call(name, input, signal),
    enabled,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });

/** Has everything of these resources asked for again where it is shown. */
export const renew = (...resources: readonly Resource[]): Promise<void> =>
  Promise.all(resources.map((resource) => queryClient.invalidateQueries({ queryKey: [resource] }))).then(() => {});

/** Has everything of these resources asked for again where it is shown next, not where it is shown now: that is gone. */
export const outdate = (...resources: readonly Resource[]): Promise<void> =>
  Promise.all(
    resources.map((resource) => queryClient.invalidateQueries({ queryKey: [resource], refetchType: 'none' })),
  ).then(() => {});

/** An endpoint that changes something. `renews` names what the change is to be seen in, beside what events tell. */
export const useChange = <N extends EndpointName>(
  name: N,
  ...renews: readonly Resource[]
): UseMutationResult<AnswerOf<N>, Error, InputOf<N>> =>
  useMutation({
    mutationFn: async (input: InputOf<N>) => (await call(name, input)).value,
    onSuccess: () => void renew(...renews),
  });
