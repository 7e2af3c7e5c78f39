import { Button } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { becomeSignedIn, signOut } from '../../api/session.tsx';
import { t } from '../../texts/second-factor.ts';
import { t as signIn } from '../../texts/sign-in.ts';
import { notifyError } from '../../ui/notify.ts';
import { Gate } from '../sign-in/gate.tsx';
import { SetUpApp } from './set-up-app.tsx';

/** The service wants a second factor of an account that has none: it is set up before anything else. */
export default function FactorNeeded({ session }: { readonly session: SessionRecord }) {
  return (
    <Gate title={t.secondFactor} description={t.serviceWantsOne}>
      <SetUpApp onDone={() => becomeSignedIn({ ...session, factor_needed: false })} />
      <Button variant="subtle" size="compact-sm" onClick={() => void signOut().catch(notifyError)}>
        {signIn.signOut}
      </Button>
    </Gate>
  );
}
