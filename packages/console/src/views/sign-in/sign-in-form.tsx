import { Loader, PasswordInput, TextInput } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { type ReactNode, Suspense, useState } from 'react';
import { ApiError, call } from '../../api/client.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/sign-in.ts';
import { t as ui } from '../../texts/ui.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';

const SecondStep = lazyPart(() => import('../second-factor/second-step.tsx'));

interface SignInFormProps {
  /** Whose password is wanted; any user's without it. */
  readonly name?: string;
  readonly onDone: (session: SessionRecord) => void;
  /** Beside the button. */
  readonly more: ReactNode;
}

/** Asks for a name and its password, or a passkey. */
export function SignInForm({ name = '', onDone, more }: SignInFormProps) {
  const [username, setUsername] = useState(name);
  const [password, setPassword] = useState('');
  const [challenge, setChallenge] = useState<string>();
  const signIn = async (): Promise<void> => {
    try {
      onDone((await call('session.open', { body: { username, password } })).value);
    } catch (error) {
      if (!(error instanceof ApiError && error.challenge !== undefined)) throw error;
      setChallenge(error.challenge);
    }
  };
  if (challenge !== undefined) {
    return (
      <Suspense fallback={<Loader aria-label={ui.loading} />}>
        <SecondStep challenge={challenge} onDone={onDone} onBack={() => setChallenge(undefined)} />
      </Suspense>
    );
  }
  return (
    <>
      <Form submit={t.signIn} disabled={username === '' || password === ''} onSubmit={signIn} more={more}>
        <TextInput
          label={t.emailOrUserName}
          autoComplete="username"
          autoFocus={name === ''}
          required
          {...bindText(username, setUsername)}
        />
        <PasswordInput
          label={common.password}
          autoComplete="current-password"
          data-autofocus={name !== '' || undefined}
          required
          {...bindText(password, setPassword)}
        />
      </Form>
      <PasskeySignIn onDone={onDone} />
    </>
  );
}
