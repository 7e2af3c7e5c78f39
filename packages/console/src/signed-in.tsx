import { ModalsProvider } from '@mantine/modals';
import { Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { LiveProvider } from './api/live.tsx';
import { routes } from './routes.ts';
import { Shell } from './shell.tsx';
import { common } from './texts/common.ts';
import { t } from './texts/shell.ts';
import { Dialogs } from './ui/dialog.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { PageLink } from './ui/link.tsx';
import { Page } from './ui/page.tsx';
import { Empty, Loading } from './ui/states.tsx';

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

/** All that is behind the sign-in: a visitor does not wait for it. */
export default function SignedIn() {
  const [location] = useLocation();
  return (
    <LiveProvider>
      {/* Below that: dialogues ask who is signed in, too. */}
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
  );
}
