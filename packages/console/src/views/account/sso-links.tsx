import { Button, Group, Stack, Text } from '@mantine/core';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/account.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Loaded } from '../../ui/states.tsx';

async function link(): Promise<void> {
  const { value } = await call('sso.link', { body: { return_to: '/account/password' } });
  window.location.assign(value.url);
}

/** Who signs in to the account at the provider; nothing where there is no provider. */
export function SsoLinks() {
  const provider = useCall('auth.policy', {}).data?.value.sso;
  const query = useCall('sso.list', {});
  if (!provider) return null;
  const unlink = (id: string): void =>
    confirm({
      title: t.takeLinkBack(provider),
      body: t.linkNoMoreSignsIn,
      action: t.takeBack,
      destructive: true,
      run: async () => {
        await call('sso.unlink', { params: { link_id: id } });
        await renew('sso');
        notify(t.linkIsTakenBack);
      },
    });
  return (
    <Card title={t.signInWith(provider)}>
      <Loaded query={query}>
        {({ value }) => (
          <Stack gap="sm">
            {value.map(({ id, email, issuer }) => (
              <Group key={id} justify="space-between">
                <Text size="sm">{email ?? issuer}</Text>
                <Button variant="subtle" size="compact-sm" onClick={() => unlink(id)}>
                  {t.takeBack}
                </Button>
              </Group>
            ))}
            {value.length === 0 && (
              <Button variant="default" onClick={() => void link().catch(notifyError)}>
                {t.linkAccount}
              </Button>
            )}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}
