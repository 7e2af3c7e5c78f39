import { Center, Loader } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { Suspense, useEffect, useRef, useState } from 'react';
import { onProofNeeded } from './api/client.ts';
import { SessionContext, useSessionQuery } from './api/session.tsx';
import { t } from './texts/shell.ts';
import { lazyPart } from './ui/lazy-part.ts';
import { ErrorBox } from './ui/states.tsx';

const SignedIn = lazyPart(() => import('./signed-in.tsx'));
const SignIn = lazyPart(() => import('./views/sign-in/sign-in.tsx'));
const SignInAgain = lazyPart(() => import('./views/sign-in/sign-in-again.tsx'));
const ResetPassword = lazyPart(async () => ({
  default: (await import('./views/sign-in/mailed-links.tsx')).ResetPassword,
}));
const ConfirmEmail = lazyPart(async () => ({
  default: (await import('./views/sign-in/mailed-links.tsx')).ConfirmEmail,
}));
const FactorNeeded = lazyPart(() => import('./views/second-factor/factor-needed.tsx'));
const ProofDialog = lazyPart(() => import('./views/second-factor/proof-dialog.tsx'));
const UndoAddress = lazyPart(async () => ({
  default: (await import('./views/sign-in/mailed-links.tsx')).UndoAddress,
}));
const SsoReturn = lazyPart(() => import('./views/sign-in/sso.tsx'));
const FirstPassword = lazyPart(() => import('./views/sign-in/first-password.tsx'));

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

const Wait = ({ error, onRetry }: { readonly error?: Error | null; readonly onRetry?: () => void }) => (
  <Center component="main" mih="100vh" p="md">
    {error && onRetry ? <ErrorBox error={error} onRetry={onRetry} /> : <Loader aria-label={t.loading} />}
  </Center>
);

/** Pages that links in mails lead to, with a token behind the `#`; they are for visitors and users alike. */
const mailedPages = {
  '/reset-password': ResetPassword,
  '/confirm-email': ConfirmEmail,
  '/undo-address': UndoAddress,
} as const;

function mailedLink({ pathname, hash }: Location) {
  const View = pathname in mailedPages ? mailedPages[pathname as keyof typeof mailedPages] : undefined;
  return View && hash !== '' ? { View, token: decodeURIComponent(hash.slice(1)) } : undefined;
}

/** Shows the dialogue that calls ask for which want a fresh proof; one answers all that wait. */
function ProofPlace() {
  const [waiting, setWaiting] = useState<readonly ((isShown: boolean) => void)[]>([]);
  useEffect(() => {
    onProofNeeded(() => new Promise((resolve) => setWaiting((before) => [...before, resolve])));
    return () => onProofNeeded(async () => false);
  }, []);
  const answer = (isShown: boolean): void => {
    for (const resolve of waiting) resolve(isShown);
    setWaiting([]);
  };
  return <Suspense fallback={null}>{waiting.length > 0 && <ProofDialog onDone={answer} />}</Suspense>;
}

function Page({ session }: { readonly session: SessionRecord }) {
  if (session.initial_password) return <FirstPassword session={session} />;
  return session.factor_needed ? <FactorNeeded session={session} /> : <SignedIn />;
}

/**
 * The console: a visitor signs in, a user with a printed password changes it, one without the second factor that the
 * service wants sets it up, all others see pages.
 */
export function App() {
  const { data: session, error, refetch } = useSessionQuery();
  /** Who was signed in last in this window: what they were doing stays when their session is over. */
  const [last, setLast] = useState<SessionRecord>();
  if (session && session !== last) setLast(session);
  useHeldEscape(session === null && last !== undefined);
  const mailed = mailedLink(window.location);
  if (mailed) {
    return (
      <Suspense fallback={<Wait />}>
        <mailed.View token={mailed.token} onSignIn={() => window.location.assign('/')} />
      </Suspense>
    );
  }
  if (window.location.pathname === '/sso') {
    return (
      <Suspense fallback={<Wait />}>
        <SsoReturn />
      </Suspense>
    );
  }
  if (session === undefined) return <Wait error={error} onRetry={() => void refetch()} />;
  const shown = session ?? last;
  if (!shown || ((shown.initial_password || shown.factor_needed) && !session)) {
    return (
      <Suspense fallback={<Wait />}>
        <SignIn />
      </Suspense>
    );
  }
  return (
    <SessionContext value={shown}>
      <ProofPlace />
      <Suspense fallback={null}>{session === null && <SignInAgain session={shown} />}</Suspense>
      <Suspense fallback={<Wait />}>
        <Page session={shown} />
      </Suspense>
    </SessionContext>
  );
}
