import { PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { t } from '../../texts/sign-in.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';

interface PasswordFormProps {
  readonly submit: string;
  readonly onChanged: () => void;
}

/** Changes the password of the signed-in user. */
export function PasswordForm({ submit, onChanged }: PasswordFormProps) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const differs = again !== '' && again !== password;
  const change = async (): Promise<void> => {
    await call('session.changePassword', { body: { current_password: current, password } });
    setCurrent('');
    setPassword('');
    setAgain('');
    onChanged();
  };
  return (
    <Form submit={submit} disabled={current === '' || password === '' || again !== password} onSubmit={change}>
      <PasswordInput
        label={t.currentPassword}
        autoComplete="current-password"
        required
        {...bindText(current, setCurrent)}
      />
      <PasswordInput
        label={t.newPassword}
        description={t.atLeast12Characters}
        autoComplete="new-password"
        required
        value={password}
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
