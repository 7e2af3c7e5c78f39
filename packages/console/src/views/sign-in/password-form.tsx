import { PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../texts/sign-in.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';

/** What the service takes at least, in characters. */
const minLength = 8;

interface PasswordFormProps {
  readonly submit: string;
  readonly onChanged: () => void;
}

/** Changes the password of the signed-in user. */
export function PasswordForm({ submit, onChanged }: PasswordFormProps) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const tooShort = password !== '' && password.length < minLength;
  const differs = again !== '' && again !== password;
  const change = async (): Promise<void> => {
    await call('session.changePassword', { body: { current_password: current, password } });
    setCurrent('');
    setPassword('');
    setAgain('');
    onChanged();
  };
  return (
    <Form
      submit={submit}
      disabled={current === '' || password.length < minLength || again !== password}
      onSubmit={change}
    >
      <PasswordInput
        label={t.currentPassword}
        autoComplete="current-password"
        required
        {...bindText(current, setCurrent)}
      />
      <PasswordInput
        label={t.newPassword}
        description={t.atLeastCharacters(minLength)}
        autoComplete="new-password"
        required
        value={password}
        error={tooShort && t.moreCharactersAreNeeded(minLength - password.length)}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <PasswordInput
        label={t.newPasswordAgain}
        autoComplete="new-password"
        required
        value={again}
        error={differs && t.twoAreNotSame}
        onChange={(event) => setAgain(event.currentTarget.value)}
      />
    </Form>
  );
}
