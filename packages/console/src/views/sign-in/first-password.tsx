import { Button } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { becomeSignedIn, signOut } from '../../api/session.tsx';
import { t } from '../../texts/sign-in.ts';
import { Gate } from '../../ui/gate.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { PasswordForm } from './password-form.tsx';

/** The first run: the password that stood on a screen is replaced before anything else. */
export default function FirstPassword({ session }: { readonly session: SessionRecord }) {
  const done = (): void => {
    notify(t.yourPasswordIsChanged);
    becomeSignedIn({ ...session, initial_password: false });
  };
  return (
    <Gate title={t.choosePassword} description={t.welcomePrintedPasswordHasBeen(session.username)}>
      <PasswordForm submit={t.changePassword} onChanged={done} />
      <Button variant="subtle" size="compact-sm" onClick={() => void signOut().catch(notifyError)}>
        {t.signOut}
      </Button>
    </Gate>
  );
}
