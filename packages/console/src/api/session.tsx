import type { InitRecord, SessionRecord } from '@moorage/api';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { t } from '../texts/shell.ts';
import { ApiError, call } from './client.ts';
import { keyOf, queryClient, useCall } from './queries.ts';

const sessionKey = keyOf('session.get', {});

/** Who is signed in; null is no user, undefined not known yet. */
export const useSessionQuery = () =>
  useQuery<SessionRecord | null, Error>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      try {
        return (await call('session.get', {}, signal)).value;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Notes who is signed in now. What was loaded for another user is forgotten. */
export function becomeSignedIn(session: SessionRecord): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  queryClient.setQueryData(sessionKey, session);
}

/**
 * Notes that a session goes on that was over meanwhile. With another user's the page begins anew: nothing of what it
 * holds is theirs.
 */
export function resumeSession(session: SessionRecord, before: SessionRecord): void {
  if (session.user_id !== before.user_id) {
    window.location.assign('/');
    return;
  }
  queryClient.setQueryData(sessionKey, session);
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
}

/** Ends the session here and at the service. The page begins anew: the next user finds nothing in its memory. */
export async function signOut(): Promise<void> {
  try {
    const { value } = await call('session.close', {});
    // The next one to sign in would not be asked who they are.
    if (value.sign_out_url !== undefined) return window.location.assign(value.sign_out_url);
  } catch (error) {
    // It was over already: that is what was asked for.
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
  window.location.reload();
}

export const SessionContext = createContext<SessionRecord | null>(null);

/** Who is signed in; only below the sign-in page. */
export function useSession(): SessionRecord {
  const session = useContext(SessionContext);
  if (!session) throw new Error(t.nobodyIsSignedIn);
  return session;
}

export const useIsAdmin = (): boolean => useSession().role === 'admin';

/** Platforms, flavors, firmware and choices: what most forms begin with. */
export const useInit = () => {
  const query = useCall('overview.init', {});
  const init: InitRecord | undefined = query.data?.value;
  return { ...query, init };
};
