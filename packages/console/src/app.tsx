import { Center, Loader } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import type { SessionRecord } from '@moorage/api';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { LiveProvider } from './api/live.tsx';
import { SessionContext, useSessionQuery } from './api/session.tsx';
import { routes } from './routes.ts';
import { Shell } from './shell.tsx';
import { common } from './texts/common.ts';
import { t } from './texts/shell.ts';
import { Dialogs } from './ui/dialog.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { PageLink } from './ui/link.tsx';
import { Page } from './ui/page.tsx';
import { Empty, ErrorBox, Loading } from './ui/states.tsx';
import { FirstPassword } from './views/sign-in/first-password.tsx';
import { SignIn, SignInAgain } from './views/sign-in/sign-in.tsx';

function Views() {
  return (
    <Switch>
      {routes.map(({ path, view: View }) => (
        <Route key={path} path={path}>
          {(params) => <View params={params} />}
        </Route>
      ))}
      <Route>
        <Page title={t.thereIsNoSuchPage}>
          <Empty title={t.addressLeadsNowhere} action={<PageLink href="/">{t.toDashboard}</PageLink>}>
            {t.itMayHaveBeenMistyped}
          </Empty>
        </Page>
      </Route>
    </Switch>
  );
}

/**
 * Keeps Escape from closing the dialogues below the one that signs in again: what has been typed in them would go. It
 * is there before any of them, for listeners are called in the order of their subscriptions.
 */
function useHeldEscape(held: boolean): void {
  const latest = useRef(held);
  latest.current = held;
  useEffect(() => {
    const hold = (event: KeyboardEvent): void => {
      if (latest.current && event.key === 'Escape') event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', hold, { capture: true });
    return () => window.removeEventListener('keydown', hold, { capture: true });
  }, []);
}

/** The console: a visitor signs in, a user with a printed password changes it, all others see pages. */
export function App() {
  const { data: session, error, refetch } = useSessionQuery();
  const [location] = useLocation();
  /** Who was signed in last in this window: what they were doing stays when their session is over. */
  const [last, setLast] = useState<SessionRecord>();
  if (session && session !== last) setLast(session);
  useHeldEscape(session === null && last !== undefined);
  if (session === undefined) {
    return (
      <Center component="main" mih="100vh" p="md">
        {error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Loader aria-label={t.loading} />}
      </Center>
    );
  }
  const shown = session ?? last;
  if (!shown) return <SignIn />;
  if (shown.initial_password) return session ? <FirstPassword session={shown} /> : <SignIn />;
  return (
    <SessionContext value={shown}>
      {session === null && <SignInAgain session={shown} />}
      <LiveProvider>
        {/* Below those two: dialogues ask who is signed in, too. */}
        <ModalsProvider modalProps={{ closeButtonProps: { 'aria-label': common.close }, closeOnClickOutside: false }}>
          <Shell>
            <ErrorBoundary place={location}>
              <Suspense fallback={<Loading />}>
                <Views />
              </Suspense>
            </ErrorBoundary>
            <Dialogs />
          </Shell>
        </ModalsProvider>
      </LiveProvider>
    </SessionContext>
  );
}
