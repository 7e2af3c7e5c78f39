import { Button, Divider, Loader } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../texts/sign-in.ts';
import { Gate } from '../../ui/gate.tsx';
import { ErrorBox } from '../../ui/states.tsx';

/** Leads to the provider, and back to the page that was asked for. */
export function SsoButton({ provider }: { readonly provider: string }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const begin = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const { pathname, search } = window.location;
      const { value } = await call('sso.start', { body: { return_to: pathname + search } });
      window.location.assign(value.url);
    } catch (thrown) {
      setBusy(false);
      setError(thrown as Error);
    }
  };
  return (
    <>
      <Divider label={t.or} />
      <Button variant="default" loading={busy} onClick={() => void begin()}>
        {t.signInWith(provider)}
      </Button>
      {error && <ErrorBox error={error} />}
    </>
  );
}

/** Where the provider leads back to: what it has answered is in the address. */
export default function SsoReturn() {
  const [error, setError] = useState<Error>();
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const query = window.location.search.slice(1);
    // It counts once, so it is of no use in the history.
    window.history.replaceState(null, '', window.location.pathname);
    if (query === '') {
      window.location.replace('/');
      return;
    }
    call('sso.finish', { body: { query } })
      .then(({ value }) => window.location.replace(value.return_to))
      .catch(setError);
  }, []);
  return (
    <Gate title={t.signIn}>
      {error ? (
        <>
          <ErrorBox error={error} />
          <Button onClick={() => window.location.assign('/')}>{t.beginAgain}</Button>
        </>
      ) : (
        <Loader aria-label={t.signingIn} />
      )}
    </Gate>
  );
}
