import { Center, Loader } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { LiveProvider } from './api/live.tsx';
import { SessionContext, useSessionQuery } from './api/session.tsx';
import { routes } from './routes.ts';
import { Shell } from './shell.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { PageLink } from './ui/link.tsx';
import { Page } from './ui/page.tsx';
import { Empty, ErrorBox, Loading } from './ui/states.tsx';
import { FirstPassword } from './views/sign-in/first-password.tsx';
import { SignIn } from './views/sign-in/sign-in.tsx';

function Views() {
  return (
    <Switch>
      {routes.map(({ path, view: View }) => (
        <Route key={path} path={path}>
          {(params) => <View params={params} />}
        </Route>
      ))}
      <Route>
        <Page title="There is no such page">
          <Empty title="The address leads nowhere" action={<PageLink href="/">To the dashboard</PageLink>}>
            It may have been mistyped, or belong to another version of the console.
          </Empty>
        </Page>
      </Route>
    </Switch>
  );
}

/** The console: whoever is not signed in signs in, whoever has a printed password changes it, the rest sees pages. */
export function App() {
  const { data: session, error, refetch } = useSessionQuery();
  if (session === undefined) {
    return (
      <Center component="main" mih="100vh" p="md">
        {error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Loader aria-label="Loading" />}
      </Center>
    );
  }
  if (session === null) return <SignIn />;
  if (session.initial_password) return <FirstPassword session={session} />;
  return (
    <SessionContext value={session}>
      <LiveProvider>
        {/* Below those two: dialogues ask who is signed in, too. */}
        <ModalsProvider modalProps={{ closeButtonProps: { 'aria-label': 'Close' } }}>
          <Shell>
            <ErrorBoundary>
              <Suspense fallback={<Loading />}>
                <Views />
              </Suspense>
            </ErrorBoundary>
          </Shell>
        </ModalsProvider>
      </LiveProvider>
    </SessionContext>
  );
}
