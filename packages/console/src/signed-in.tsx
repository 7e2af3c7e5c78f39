import { Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { LiveProvider } from './api/live.tsx';
import { routes } from './routes.ts';
import { Shell } from './shell.tsx';
import { t } from './texts/shell.ts';
import { useDialogs } from './ui/dialogs.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';
import { lazyPart } from './ui/lazy-part.ts';
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

const OpenedDialogs = lazyPart(() => import('./ui/opened-dialogs.tsx'));

/** The place of dialogues, which is loaded with the first of them. */
const Dialogs = () => <Suspense>{useDialogs().any && <OpenedDialogs />}</Suspense>;

/** All that is behind the sign-in: a visitor does not wait for it. */
export default function SignedIn() {
  const [location] = useLocation();
  return (
    <LiveProvider>
      <Shell>
        <ErrorBoundary place={location}>
          <Suspense fallback={<Loading />}>
            <Views />
          </Suspense>
        </ErrorBoundary>
        <Dialogs />
      </Shell>
    </LiveProvider>
  );
}
