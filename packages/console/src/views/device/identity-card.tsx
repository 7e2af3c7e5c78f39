import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { DeviceContents, DeviceRecord } from '@moorage/api';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../../api/client.ts';
import { outdate, renew, useChange } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { formatSize, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { ErrorBox } from '../../ui/states.tsx';
import { CertificatesButton } from './certificates-button.tsx';
import { Secret } from './secret.tsx';

/** Certificate and provisioning of a device. */
export function IdentityCard({ device }: { readonly device: DeviceRecord }) {
  const [token, setToken] = useState<string>();
  const ask = (): void =>
    confirm({
      title: t.provisionAgain(device.title),
      body: t.itsCertificateStopsWorkingAt,
      action: t.makeToken,
      destructive: true,
      async run() {
        const { value } = await call('devices.renewToken', { params: { device_id: device.id } });
        setToken(value.token);
        await renew('devices');
      },
    });
  return (
    <Card title={t.identity}>
      <Stack gap="sm">
        <Text size="sm">{t.deviceShowsServiceCertificateOf}</Text>
        {token && <Secret label={t.provisioningToken} value={token} />}
        <Group gap="xs">
          <CertificatesButton deviceId={device.id} />
          <Button variant="default" onClick={ask}>
            {t.newProvisioningToken}
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
    notify(state === 'disabled' ? t.isBlocked(device.title) : t.isLetInAgain(device.title));
  };
  const block = (): void =>
    confirm({
      title: t.block(device.title),
      body: t.itIsCutOffAt,
      action: t.block2,
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
      title: t.reset(device.title),
      body: (
        <Stack gap="xs">
          <span>{t.deviceGoesBackToWhat}</span>
          <ul style={{ margin: 0 }}>
            <li>{t.itsOwnerWhoeverClaimsIt(device.user ?? t.itHasNone)}</li>
            <li>{t.itsTitleDescriptionLocationAnd}</li>
            <li>{t.allItsFilesHere}</li>
            <li>{t.itsPlaceInItReturns(device.product, device.platform)}</li>
          </ul>
          <span>{t.itsLogStaysYouMay}</span>
        </Stack>
      ),
      action: t.reset2,
      destructive: true,
      run: () => change.mutateAsync({ params: { device_id: device.id } }),
      done: t.deviceIsReset,
    });
}

/** What a deletion takes along, one line for each thing that there is. */
const takenAlong = (contents: DeviceContents): string[] =>
  [
    { count: contents.files, text: `${plural(contents.files, nouns.file)} (${formatSize(contents.file_bytes)})` },
    { count: contents.streams, text: t.withAllSamples(plural(contents.streams, nouns.stream)) },
    { count: contents.controls, text: plural(contents.controls, nouns.control) },
    { count: contents.messages, text: plural(contents.messages, nouns.message) },
    { count: contents.updates, text: t.ofItsHistory(plural(contents.updates, nouns.update)) },
    { count: contents.attributes, text: plural(contents.attributes, nouns.reportedAttribute) },
    { count: contents.labels, text: plural(contents.labels, nouns.label) },
    { count: contents.nodes, text: plural(contents.nodes, nouns.node) },
    { count: contents.rollouts, text: plural(contents.rollouts, nouns.placeInARollout) },
  ]
    .filter(({ count }) => count > 0)
    .map(({ text }) => text);

function useDeleting(device: DeviceRecord) {
  const change = useChange('devices.remove');
  const [, navigate] = useLocation();
  const ask = async (): Promise<void> => {
    const { value: contents } = await call('devices.contents', { params: { device_id: device.id } });
    const lines = takenAlong(contents);
    confirm({
      title: t.delete(device.title),
      body: (
        <Stack gap="xs">
          <span>{t.serviceForgetsDeviceItsCertificates(lines.length > 0 ? t.withItGo : t.nothingElseIsKeptOf)}</span>
          {lines.length > 0 && (
            <ul style={{ margin: 0 }}>
              {lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
          <span>{t.itsLogStaysToCome(plural(contents.logs_kept, nouns.row))}</span>
        </Stack>
      ),
      action: common.delete,
      destructive: true,
      async run() {
        await change.mutateAsync({ params: { device_id: device.id } });
        navigate('/devices');
        notify(t.isDeleted(device.title));
        await outdate('devices', 'fleet');
      },
    });
  };
  return (): void => void ask().catch(notifyError);
}

/** Takes a device back to the base edition of its platform, whatever its product says. */
function useLeaving(device: DeviceRecord) {
  const change = useChange('devices.activate', 'devices', 'products', 'deviceUpdates');
  return (): void =>
    confirm({
      title: t.takeOff(device.title, device.product),
      body: t.itGoesBackToBase(device.platform, device.product),
      action: t.takeItOff,
      destructive: true,
      async run() {
        if (device.base_product_id === null) return;
        await change.mutateAsync({ params: { device_id: device.id }, body: { product_id: device.base_product_id } });
        notify(t.isOff(device.title, device.product));
      },
    });
}

/** What cuts a device off or takes things from it. */
export function DangerCard({ device }: { readonly device: DeviceRecord }) {
  const { block, letIn, change } = useBlocking(device);
  const reset = useReset(device);
  const leave = useLeaving(device);
  const remove = useDeleting(device);
  const admin = useIsAdmin();
  // Module hardware is deleted by administrators; its owner resets it.
  const mayDelete = admin || (device.role === 'owner' && device.platform === 'SOFT');
  const held = (device.locked || device.production) && device.product_id !== device.base_product_id;
  const blocked = device.state === 'disabled';
  return (
    <Card title={t.blockResetOrDelete}>
      <Stack gap="sm">
        {blocked && (
          <Alert color="red" variant="outline" title={t.deviceIsBlocked}>
            {t.everyCallItMakesIs}
          </Alert>
        )}
        {device.locked && <Text size="sm">{t.deviceIsLockedByWhich(device.product)}</Text>}
        {change.error && <ErrorBox error={change.error} />}
        <Group gap="xs">
          {blocked ? (
            <Button variant="default" loading={change.isPending} onClick={letIn}>
              {t.letItInAgain}
            </Button>
          ) : (
            <Button variant="default" onClick={block}>
              {t.block3}
            </Button>
          )}
          {held && (
            <Button variant="outline" color="red" disabled={blocked} onClick={leave}>
              {t.takeItOffItsProduct}
            </Button>
          )}
          <Button variant="outline" color="red" disabled={device.locked || blocked} onClick={reset}>
            {t.reset3}
          </Button>
          {mayDelete && (
            <Button variant="outline" color="red" onClick={remove}>
              {common.delete2}
            </Button>
          )}
        </Group>
      </Stack>
    </Card>
  );
}
