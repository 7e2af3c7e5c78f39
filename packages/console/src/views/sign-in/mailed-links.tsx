import { Button, PasswordInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/sign-in.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';
import { Gate } from '../../ui/gate.tsx';

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
        <Form submit={t.changePassword} disabled={password === ''} onSubmit={reset}>
          <PasswordInput
            label={t.newPassword}
            description={t.atLeast12Characters}
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

interface OneStepProps extends LinkProps {
  readonly title: string;
  readonly submit: string;
  readonly said: string;
  readonly run: () => Promise<unknown>;
}

/** A link that does one thing. A button: programs that read mail open links. */
function OneStep({ title, submit, said, run, onSignIn }: OneStepProps) {
  const [done, setDone] = useState(false);
  const finish = async (): Promise<void> => {
    await run();
    setDone(true);
  };
  return (
    <Gate title={title}>
      {done ? (
        <>
          <Text>{said}</Text>
          <Button variant="subtle" onClick={onSignIn}>
            {t.goOn}
          </Button>
        </>
      ) : (
        <Form submit={submit} onSubmit={finish}>
          {null}
        </Form>
      )}
    </Gate>
  );
}

/** What the link in a mail to a new address leads to. */
export const ConfirmEmail = ({ token, onSignIn }: LinkProps & { readonly token: string }) => (
  <OneStep
    title={t.confirmYourAddress}
    submit={t.itIsMine}
    said={t.yourAddressIsConfirmed}
    run={() => call('links.confirm', { body: { token } })}
    onSignIn={onSignIn}
  />
);

/** What the link in a mail to the former address leads to. */
export const UndoAddress = ({ token, onSignIn }: LinkProps & { readonly token: string }) => (
  <OneStep
    title={t.yourAddressWasChanged}
    submit={t.takeItBack}
    said={t.addressIsBack}
    run={() => call('links.undo', { body: { token } })}
    onSignIn={onSignIn}
  />
);
