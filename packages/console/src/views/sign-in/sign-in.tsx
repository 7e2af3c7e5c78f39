import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { type ReactNode, useState } from 'react';
import { call } from '../../api/client.ts';
import { becomeSignedIn, resumeSession } from '../../api/session.tsx';
import { Form } from '../../ui/form.tsx';
import { Gate } from './gate.tsx';

interface SignInFormProps {
  /** Whose password is wanted; any user's without it. */
  readonly name?: string;
  readonly onDone: (session: SessionRecord) => void;
  /** Beside the button. */
  readonly more: ReactNode;
}

function SignInForm({ name = '', onDone, more }: SignInFormProps) {
  const [username, setUsername] = useState(name);
  const [password, setPassword] = useState('');
  const signIn = async (): Promise<void> => {
    onDone((await call('session.open', { body: { username, password } })).value);
  };
  return (
    <Form submit="Sign in" disabled={username === '' || password === ''} onSubmit={signIn} more={more}>
      <TextInput
        label="Email or user name"
        autoComplete="username"
        autoFocus={name === ''}
        required
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        data-autofocus={name !== '' || undefined}
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </Form>
  );
}

/**
 * Asks the user whose session is over to sign in again, over the page that was shown: what has been typed there stays.
 */
export function SignInAgain({ session }: { readonly session: SessionRecord }) {
  return (
    <Modal
      opened
      fullScreen
      title="Your session is over"
      withCloseButton={false}
      closeOnEscape={false}
      onClose={() => undefined}
      // Over every dialogue of the page, and with nothing of it to be seen.
      zIndex={1_000}
      transitionProps={{ duration: 0 }}
    >
      <Stack maw={420} mx="auto" gap="md">
        <Text size="sm">Sign in again to go on where you were: what you have typed is still there.</Text>
        <SignInForm
          name={session.username}
          onDone={(next) => resumeSession(next, session)}
          more={
            <Button variant="subtle" onClick={() => window.location.assign('/')}>
              Leave this page
            </Button>
          }
        />
      </Stack>
    </Modal>
  );
}

function SignUpForm({ onSignIn }: { readonly onSignIn: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signUp = async (): Promise<void> => {
    becomeSignedIn((await call('session.signup', { body: { email, password } })).value);
  };
  return (
    <Gate title="Make an account" description="For your own devices and products on this service.">
      <Form
        submit="Make the account"
        disabled={email === '' || password === ''}
        onSubmit={signUp}
        more={
          <Button variant="subtle" onClick={onSignIn}>
            Sign in instead
          </Button>
        }
      >
        <TextInput
          label="Email"
          type="email"
          autoComplete="email"
          autoFocus
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          description="At least 8 characters"
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </Form>
    </Gate>
  );
}

/** Where a visitor without a session begins; afterwards the wanted address is shown. */
export function SignIn() {
  const [signsUp, setSignsUp] = useState(false);
  if (signsUp) return <SignUpForm onSignIn={() => setSignsUp(false)} />;
  return (
    <Gate
      title="Sign in"
      description="The first time: the address and password that the service has printed when it started."
    >
      <SignInForm
        onDone={becomeSignedIn}
        more={
          <Button variant="subtle" onClick={() => setSignsUp(true)}>
            Make an account
          </Button>
        }
      />
    </Gate>
  );
}
