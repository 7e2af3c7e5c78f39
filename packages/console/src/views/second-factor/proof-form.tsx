import { PasswordInput, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../../texts/second-factor.ts';
import { t as signIn } from '../../texts/sign-in.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';

interface ProofFormProps {
  readonly submit: string;
  /** What follows from it; that it changes how one signs in, without it. */
  readonly advice?: string;
  /** What else is asked for, before the password. */
  readonly children?: ReactNode;
  readonly disabled?: boolean;
  readonly onProof: (proof: { readonly current_password: string }) => Promise<unknown>;
}

/** Asks for the password again, before a change of how one signs in. */
export function ProofForm(props: ProofFormProps) {
  const { submit, advice = t.passwordAgain, children, disabled = false, onProof } = props;
  const [password, setPassword] = useState('');
  return (
    <Form
      submit={submit}
      disabled={disabled || password === ''}
      onSubmit={() => onProof({ current_password: password })}
    >
      <Text size="sm">{advice}</Text>
      {children}
      <PasswordInput
        label={signIn.currentPassword}
        autoComplete="current-password"
        data-autofocus
        required
        {...bindText(password, setPassword)}
      />
    </Form>
  );
}
