import { Tabs } from '@mantine/core';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import type { ViewProps } from '../../routes.ts';
import { notify } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { PasswordForm } from '../sign-in/password-form.tsx';
import { Details } from './details.tsx';
import { Tokens } from './tokens.tsx';

const tabs = [
  ['details', 'Details'],
  ['password', 'Password'],
  ['tokens', 'Tokens'],
] as const;

/** One's own account. */
export default function Account({ params: { tab = 'details' } }: ViewProps) {
  const [, navigate] = useLocation();
  const query = useCall('users.get', {});
  return (
    <Page title="Account">
      <Tabs
        value={tab}
        onChange={(next) => navigate(next === 'details' ? '/account' : `/account/${next}`)}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {tabs.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="details">
          <Loaded query={query}>{({ value }) => <Details user={value} />}</Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="password" maw={420}>
          <PasswordForm
            submit="Change the password"
            onChanged={() => notify('Your password is changed; your other sessions are over')}
          />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <Tokens />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
