import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { becomeSignedIn } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/sign-in.ts';
import { bindText } from '../../ui/bind-text.ts';
import { Form } from '../../ui/form.tsx';
import { Gate } from '../../ui/gate.tsx';
import { Forgotten } from './mailed-links.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SsoButton } from './sso.tsx';

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
          {...bindText(email, setEmail)}
        />
        <PasswordInput
          label={common.password}
          description={t.atLeast12Characters}
          autoComplete="new-password"
          required
          {...bindText(password, setPassword)}
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
export default function SignIn() {
  const [signsUp, setSignsUp] = useState(false);
  const [invitation, setInvitation] = useState(() => invitationOf(window.location));
  const [forgot, setForgot] = useState(false);
  const policy = useCall('auth.policy', {}).data?.value;
  if (invitation !== undefined) return <Invited invitation={invitation} onSignIn={() => setInvitation(undefined)} />;
  if (forgot) return <Forgotten onSignIn={() => setForgot(false)} />;
  if (signsUp) return <SignUpForm onSignIn={() => setSignsUp(false)} />;
  return (
    <Gate title={t.signIn} description={t.firstTimeAddressAndPassword}>
      <SignInForm
        onDone={becomeSignedIn}
        more={
          <>
            {policy?.sign_up === 'open' && (
              <Button variant="subtle" onClick={() => setSignsUp(true)}>
                {t.makeAccount}
              </Button>
            )}
            {policy?.mail && (
              <Button variant="subtle" onClick={() => setForgot(true)}>
                {t.forgotPassword}
              </Button>
            )}
          </>
        }
      />
      {policy?.sso && <SsoButton provider={policy.sso} />}
    </Gate>
  );
}
