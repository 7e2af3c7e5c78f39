import { Button } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { becomeSignedIn, signOut } from '../../api/session.tsx';
import { t as passkeys } from '../../texts/passkeys.ts';
import { t } from '../../texts/second-factor.ts';
import { t as signIn } from '../../texts/sign-in.ts';
import { Gate } from '../../ui/gate.tsx';
import { notifyError } from '../../ui/notify.ts';
import { pageHasPasskeys } from '../../ui/passkeys.ts';
import { AddPasskey } from './add-passkey.tsx';
import { SetUpApp } from './set-up-app.tsx';

/** The service wants a second factor of an account that has none: it is set up before anything else. */
export default function FactorNeeded({ session }: { readonly session: SessionRecord }) {
  const address = useCall('auth.policy', {}).data?.value.passkeys;
  const [byPasskey, setByPasskey] = useState(false);
  const onDone = (): void => becomeSignedIn({ ...session, factor_needed: false });
  return (
    <Gate title={t.secondFactor} description={t.serviceWantsOne}>
      {byPasskey ? <AddPasskey count={0} onDone={onDone} /> : <SetUpApp onDone={onDone} />}
      {pageHasPasskeys(address) && (
        <Button variant="subtle" size="compact-sm" onClick={() => setByPasskey(!byPasskey)}>
          {byPasskey ? passkeys.appInstead : passkeys.passkeyInstead}
        </Button>
      )}
      <Button variant="subtle" size="compact-sm" onClick={() => void signOut().catch(notifyError)}>
        {signIn.signOut}
      </Button>
    </Gate>
  );
}
