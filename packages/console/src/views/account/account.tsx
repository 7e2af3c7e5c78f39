import { Loader, Stack, Tabs } from '@mantine/core';
import { Suspense } from 'react';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/account.ts';
import { common } from '../../texts/common.ts';
import { t as organisation } from '../../texts/organisation.ts';
import { Card } from '../../ui/card.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { PageLink } from '../../ui/link.tsx';
import { notify } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { TabList } from '../../ui/tab-list.tsx';
import { PasswordForm } from '../sign-in/password-form.tsx';
import type { ViewProps } from '../view-props.ts';
import { BroadcastKeys } from './broadcast-keys.tsx';
import { Details } from './details.tsx';
import { Memberships } from './memberships.tsx';
import { Quotas } from './quotas.tsx';
import { SsoLinks } from './sso-links.tsx';
import { Tokens } from './tokens.tsx';

const FactorCard = lazyPart(() => import('../second-factor/factor-card.tsx'));
const Organisation = lazyPart(() => import('./organisation.tsx'));

const tabs = [
  { key: 'details', title: t.details },
  { key: 'password', title: common.password },
  { key: 'second-factor', title: t.secondFactor },
  { key: 'tokens', title: t.tokens },
  { key: 'broadcasts', title: t.broadcastKeys },
  { key: 'quotas', title: t.quotas },
  { key: 'organisation', title: organisation.organisation },
];

/** One's own account. */
export default function Account({ params: { tab = 'details' } }: ViewProps) {
  const [, navigate] = useLocation();
  const query = useCall('users.get', {});
  if (!tabs.some(({ key }) => key === tab)) {
    return (
      <Page title={t.account}>
        <Empty title={t.thereIsNoSuchPart} action={<PageLink href="/account">{t.toYourDetails}</PageLink>} />
      </Page>
    );
  }
  const user = query.data?.value;
  const shown = tabs.filter(({ key }) => key !== 'organisation' || user?.customer_id);
  return (
    <Page title={t.account}>
      <Tabs
        value={tab}
        onChange={(next) => navigate(next === 'details' ? '/account' : `/account/${next}`)}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <TabList label={t.partsOfYourAccount} shown={tab}>
          {shown.map(({ key, title }) => (
            <Tabs.Tab key={key} value={key}>
              {title}
            </Tabs.Tab>
          ))}
        </TabList>
        <Tabs.Panel value="details" pt="md">
          <Stack>
            <Memberships />
            <Loaded query={query}>{({ value }) => <Details user={value} />}</Loaded>
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="password" pt="md" maw={480}>
          <Stack>
            <Card title={common.password}>
              <PasswordForm submit={t.changePassword} onChanged={() => notify(t.yourPasswordIsChangedYour)} />
            </Card>
            <SsoLinks />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="second-factor" pt="md" maw={640}>
          <Suspense fallback={<Loader />}>
            <FactorCard />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="tokens" pt="md">
          <Tokens />
        </Tabs.Panel>
        <Tabs.Panel value="broadcasts" pt="md">
          <BroadcastKeys />
        </Tabs.Panel>
        <Tabs.Panel value="quotas" pt="md">
          <Quotas />
        </Tabs.Panel>
        <Tabs.Panel value="organisation" pt="md">
          {user?.customer_id && (
            <Suspense fallback={<Loader />}>
              <Organisation id={user.customer_id} isOwner={user.customer_role === 'owner'} />
            </Suspense>
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
