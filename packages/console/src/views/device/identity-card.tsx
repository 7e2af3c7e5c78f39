import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew, useChange } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { notify } from '../../ui/notify.ts';
import { ErrorBox } from '../../ui/states.tsx';
import { CertificatesButton } from './certificates-button.tsx';
import { Secret } from './secret.tsx';

/** Certificate and provisioning of a device. */
export function IdentityCard({ device }: { readonly device: DeviceRecord }) {
  const [token, setToken] = useState<string>();
  const ask = (): void =>
    confirm({
      title: `Provision ${device.title} again?`,
      body: 'Its certificate stops working at once, and it is cut off until it has fetched a new one with the token that you get. The token is shown once.',
      action: 'Make a token',
      destructive: true,
      async run() {
        const { value } = await call('devices.renewToken', { params: { device_id: device.id } });
        setToken(value.token);
        await renew('devices');
      },
    });
  return (
    <Card title="Identity">
      <Stack gap="sm">
        <Text size="sm">
          The device shows the service a certificate of its own. It fetches that with a provisioning token, or you
          download it for the device, as long as its provisioning is not complete.
        </Text>
        {token && <Secret label="Provisioning token" value={token} />}
        <Group gap="xs">
          <CertificatesButton deviceId={device.id} />
          <Button variant="default" onClick={ask}>
            New provisioning token …
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

/** Shuts a device out, or lets it in again. */
function useBlocking(device: DeviceRecord) {
  const change = useChange('devices.setState', 'devices');
  const set = async (state: 'disabled' | 'enabled'): Promise<void> => {
    await change.mutateAsync({ params: { device_id: device.id }, body: { state } });
    notify(state === 'disabled' ? `${device.title} is blocked` : `${device.title} is let in again`);
  };
  const block = (): void =>
    confirm({
      title: `Block ${device.title}?`,
      body: 'It is cut off at once, and every call it makes is refused: no updates, no data, no files. Nothing is deleted, and you can let it in again.',
      action: 'Block',
      destructive: true,
      run: () => set('disabled'),
    });
  // Why it did not work is shown from the change itself.
  return { block, letIn: () => void set('enabled').catch(() => {}), change };
}

function useReset(device: DeviceRecord) {
  const change = useChange('devices.reset', 'devices', 'deviceFiles', 'channel', 'deviceUpdates');
  return (): void =>
    confirm({
      title: `Reset ${device.title}?`,
      body: (
        <Stack gap="xs">
          <span>The device goes back to what it was when it left the factory. This cannot be undone. Lost are</span>
          <ul style={{ margin: 0 }}>
            <li>its owner: {device.user ?? 'it has none'}; whoever claims it next owns it</li>
            <li>its title, description, location and tag</li>
            <li>all its files here</li>
            <li>
              its place in {device.product}: it returns to the base edition of {device.platform}
            </li>
          </ul>
          <span>Its log stays. You may not be able to see the device afterwards.</span>
        </Stack>
      ),
      action: 'Reset',
      destructive: true,
      async run() {
        await change.mutateAsync({ params: { device_id: device.id } });
        notify('The device is reset');
      },
    });
}

/** Takes a device back to the base edition of its platform, whatever its product says. */
function useLeaving(device: DeviceRecord) {
  const change = useChange('devices.activate', 'devices', 'products', 'deviceUpdates');
  return (): void =>
    confirm({
      title: `Take ${device.title} off ${device.product}?`,
      body: `It goes back to the base edition of ${device.platform}. Its owner, texts and files stay; it gets no more updates of ${device.product}, and may not be let in there again.`,
      action: 'Take it off',
      destructive: true,
      async run() {
        if (device.base_product_id === null) return;
        await change.mutateAsync({ params: { device_id: device.id }, body: { product_id: device.base_product_id } });
        notify(`${device.title} is off ${device.product}`);
      },
    });
}

/** What cuts a device off or takes things from it. */
export function DangerCard({ device }: { readonly device: DeviceRecord }) {
  const { block, letIn, change } = useBlocking(device);
  const reset = useReset(device);
  const leave = useLeaving(device);
  const held = (device.locked || device.production) && device.product_id !== device.base_product_id;
  const blocked = device.state === 'disabled';
  return (
    <Card title="Block or reset">
      <Stack gap="sm">
        {blocked && (
          <Alert color="red" variant="outline" title="The device is blocked">
            Every call it makes is refused. Let it in again to reach it; it becomes active with its next contact.
          </Alert>
        )}
        {device.locked && (
          <Text size="sm">
            The device is locked by {device.product}, which is not claimable: it cannot be reset or activated elsewhere
            before its owner takes it off that product.
          </Text>
        )}
        {change.error && <ErrorBox error={change.error} />}
        <Group gap="xs">
          {blocked ? (
            <Button variant="default" loading={change.isPending} onClick={letIn}>
              Let it in again
            </Button>
          ) : (
            <Button variant="default" onClick={block}>
              Block …
            </Button>
          )}
          {held && (
            <Button variant="outline" color="red" disabled={blocked} onClick={leave}>
              Take it off its product …
            </Button>
          )}
          <Button variant="outline" color="red" disabled={device.locked || blocked} onClick={reset}>
            Reset …
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
