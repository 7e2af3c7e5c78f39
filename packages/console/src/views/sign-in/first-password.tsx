import { Button } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { becomeSignedIn, signOut } from '../../api/session.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Gate } from './gate.tsx';
import { PasswordForm } from './password-form.tsx';

/** The first run: the password that stood on a screen is replaced before anything else. */
export function FirstPassword({ session }: { readonly session: SessionRecord }) {
  const done = (): void => {
    notify('Your password is changed');
    becomeSignedIn({ ...session, initial_password: false });
  };
  return (
    <Gate
      title="Choose a password"
      description={`Welcome, ${session.username}. The printed password has been on a screen and perhaps in a log: choose your own.`}
    >
      <PasswordForm submit="Change the password" onChanged={done} />
      <Button variant="subtle" size="compact-sm" onClick={() => void signOut().catch(notifyError)}>
        Sign out
      </Button>
    </Gate>
  );
}
