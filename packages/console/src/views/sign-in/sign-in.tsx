import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { becomeSignedIn } from '../../api/session.tsx';
import { Form } from '../../ui/form.tsx';
import { Gate } from './gate.tsx';

function SignInForm({ onSignUp }: { readonly onSignUp: () => void }) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const signIn = async (): Promise<void> => {
    becomeSignedIn((await call('session.open', { body: { username, password } })).value);
  };
  return (
    <Gate
      title="Sign in"
      description="The first time: the address and password that the service has printed when it started."
    >
      <Form
        submit="Sign in"
        disabled={username === '' || password === ''}
        onSubmit={signIn}
        more={
          <Button variant="subtle" onClick={onSignUp}>
            Make an account
          </Button>
        }
      >
        <TextInput
          label="Email or user name"
          autoComplete="username"
          autoFocus
          required
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </Form>
    </Gate>
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

/** Where whoever is not signed in begins; afterwards the address that was asked for is shown. */
export function SignIn() {
  const [signsUp, setSignsUp] = useState(false);
  return signsUp ? <SignUpForm onSignIn={() => setSignsUp(false)} /> : <SignInForm onSignUp={() => setSignsUp(true)} />;
}
