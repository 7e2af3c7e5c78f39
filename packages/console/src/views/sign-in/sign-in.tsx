import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { SessionRecord } from '@moorage/api';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { becomeSignedIn, resumeSession } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/sign-in.ts';
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
    <Form submit={t.signIn} disabled={username === '' || password === ''} onSubmit={signIn} more={more}>
      <TextInput
        label={t.emailOrUserName}
        autoComplete="username"
        autoFocus={name === ''}
        required
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
      />
      <PasswordInput
        label={common.password}
        autoComplete="current-password"
        data-autofocus={name !== '' || undefined}
        required
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </Form>
  );
}

const column = { width: '100%', maxWidth: 452, marginInline: 'auto' } as const;

/**
 * Asks the user whose session is over to sign in again, over the page that was shown: what has been typed there stays.
 */
export function SignInAgain({ session }: { readonly session: SessionRecord }) {
  return (
    <Modal
      opened
      fullScreen
      title={t.yourSessionIsOver}
      withCloseButton={false}
      closeOnEscape={false}
      onClose={() => undefined}
      // Over every dialogue of the page, and with nothing of it to be seen.
      zIndex={1_000}
      transitionProps={{ duration: 0 }}
      // The title stands over the form: both are in one column, in the middle of the window.
      styles={{
        content: { display: 'flex', flexDirection: 'column', justifyContent: 'center' },
        header: { ...column, flex: 'none', minHeight: 0 },
        body: column,
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t.signInAgainToGo}</Text>
        <SignInForm
          name={session.username}
          onDone={(next) => resumeSession(next, session)}
          more={
            <Button variant="subtle" onClick={() => window.location.assign('/')}>
              {t.leaveThisPage}
            </Button>
          }
        />
      </Stack>
    </Modal>
  );
}

interface SignUpFormProps {
  readonly onSignIn: () => void;
  /** Token of the link that has led here. */
  readonly invitation?: string | undefined;
  /** The only address that the invitation is for. */
  readonly invited?: string | undefined;
}

function SignUpForm({ onSignIn, invitation, invited }: SignUpFormProps) {
  const [, navigate] = useLocation();
  const [email, setEmail] = useState(invited ?? '');
  const [password, setPassword] = useState('');
  const signUp = async (): Promise<void> => {
    const body = { email, password, ...(invitation !== undefined && { invitation }) };
    const { value } = await call('session.signup', { body });
    if (invitation !== undefined) navigate('/', { replace: true });
    becomeSignedIn(value);
  };
  return (
    <Gate title={t.makeAccount} description={t.forYourOwnDevicesAnd}>
      <Form
        submit={t.makeTheAccount}
        disabled={email === '' || password === ''}
        onSubmit={signUp}
        more={
          <Button variant="subtle" onClick={onSignIn}>
            {t.signInInstead}
          </Button>
        }
      >
        <TextInput
          label={common.email}
          type="email"
          autoComplete="email"
          autoFocus={invited === undefined}
          readOnly={invited !== undefined}
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={common.password}
          description={t.atLeast8Characters}
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </Form>
    </Gate>
  );
}

/** What a link with an invitation leads to. */
function Invited({ invitation, onSignIn }: { readonly invitation: string; readonly onSignIn: () => void }) {
  const { data, error } = useCall('auth.invitation', { body: { invitation } });
  if (data) return <SignUpForm onSignIn={onSignIn} invitation={invitation} invited={data.value.email ?? undefined} />;
  return (
    <Gate title={t.yourInvitation} description={error ? error.message : t.lookingItUp}>
      <Button variant="subtle" onClick={onSignIn}>
        {t.signInInstead}
      </Button>
    </Gate>
  );
}

/** The token of an invitation in the address: behind the `#`, which no server sees. */
function invitationOf({ pathname, hash }: Location): string | undefined {
  if (pathname !== '/sign-up' || hash === '') return undefined;
  return decodeURIComponent(hash.slice(1));
}

/** Where a visitor without a session begins; afterwards the wanted address is shown. */
export function SignIn() {
  const [signsUp, setSignsUp] = useState(false);
  const [invitation, setInvitation] = useState(() => invitationOf(window.location));
  const isOpen = useCall('auth.policy', {}).data?.value.sign_up === 'open';
  if (invitation !== undefined) return <Invited invitation={invitation} onSignIn={() => setInvitation(undefined)} />;
  if (signsUp) return <SignUpForm onSignIn={() => setSignsUp(false)} />;
  return (
    <Gate title={t.signIn} description={t.firstTimeAddressAndPassword}>
      <SignInForm
        onDone={becomeSignedIn}
        more={
          isOpen && (
            <Button variant="subtle" onClick={() => setSignsUp(true)}>
              {t.makeAccount}
            </Button>
          )
        }
      />
    </Gate>
  );
}
