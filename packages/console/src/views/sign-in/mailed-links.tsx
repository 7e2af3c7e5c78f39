import { Button, PasswordInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/sign-in.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';
import { Gate } from './gate.tsx';

interface LinkProps {
  readonly onSignIn: () => void;
}

const SignInInstead = ({ onSignIn }: LinkProps) => (
  <Button variant="subtle" onClick={onSignIn}>
    {t.signIn}
  </Button>
);

/** Asks for the address whose account has lost its password. */
export function Forgotten({ onSignIn }: LinkProps) {
  const [email, setEmail] = useState('');
  const [asked, setAsked] = useState(false);
  const ask = async (): Promise<void> => {
    await call('links.forgotten', { body: { email } });
    setAsked(true);
  };
  return (
    <Gate title={t.forgotPassword} description={asked ? t.lookIntoYourMail(email) : t.linkIsMailed}>
      {asked ? (
        <SignInInstead onSignIn={onSignIn} />
      ) : (
        <Form
          submit={t.mailTheLink}
          disabled={email === ''}
          onSubmit={ask}
          more={<SignInInstead onSignIn={onSignIn} />}
        >
          <TextInput
            label={common.email}
            type="email"
            autoComplete="email"
            autoFocus
            required
            {...bindText(email, setEmail)}
          />
        </Form>
      )}
    </Gate>
  );
}

/** What the link in a mail to who has lost a password leads to. */
export function ResetPassword({ token, onSignIn }: LinkProps & { readonly token: string }) {
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  const reset = async (): Promise<void> => {
    await call('links.reset', { body: { token, password } });
    setDone(true);
  };
  return (
    <Gate title={t.choosePassword} {...(done && { description: t.yourPasswordIsChanged })}>
      {done ? (
        <SignInInstead onSignIn={onSignIn} />
      ) : (
        <Form submit={t.changePassword} disabled={password.length < 8} onSubmit={reset}>
          <PasswordInput
            label={t.newPassword}
            description={t.atLeast8Characters}
            autoComplete="new-password"
            data-autofocus
            required
            {...bindText(password, setPassword)}
          />
        </Form>
      )}
    </Gate>
  );
}

/** What the link in a mail to a new address leads to. A button: programs that read mail open links. */
export function ConfirmEmail({ token, onSignIn }: LinkProps & { readonly token: string }) {
  const [done, setDone] = useState(false);
  const confirm = async (): Promise<void> => {
    await call('links.confirm', { body: { token } });
    setDone(true);
  };
  return (
    <Gate title={t.confirmYourAddress}>
      {done ? (
        <>
          <Text>{t.yourAddressIsConfirmed}</Text>
          <Button variant="subtle" onClick={onSignIn}>
            {t.goOn}
          </Button>
        </>
      ) : (
        <Form submit={t.itIsMine} onSubmit={confirm}>
          {null}
        </Form>
      )}
    </Gate>
  );
}
