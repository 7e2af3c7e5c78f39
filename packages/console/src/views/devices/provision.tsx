import { Alert, Anchor, Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { PlatformRecord, ProvisionedDevice } from '@moorage/api';
import { useState } from 'react';
import { addressOf, call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { useInit, useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Loading } from '../../ui/states.tsx';

/** Platform of devices without module hardware: everybody may provision those. */
const softwarePlatform = 'SOFT';

const uuidDigits = 40;

/** A uuid that no device has, as hardware of the platform would have it. */
function randomUuid({ part_id }: Pick<PlatformRecord, 'part_id'>): string {
  const bytes = crypto.getRandomValues(new Uint8Array(uuidDigits / 2));
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${part_id ?? ''}${digits}`.slice(0, uuidDigits);
}

/** What comes after: the token, which is shown this once, and where it goes. */
function Provisioned({ device, onClose }: { readonly device: ProvisionedDevice; readonly onClose: () => void }) {
  const lines = `set dms.provision.token ${device.token}\ndms provision`;
  return (
    <Stack gap="sm">
      <Alert color="orange" variant="outline" title={t.tokenIsShownThisOnce}>
        {t.withItDeviceFetchesIts}
      </Alert>
      <Fields stacked>
        <Field label={t.provisioningToken} value={device.token} mono />
        <Field label={t.hardwareUuid} value={device.uuid} mono />
      </Fields>
      <div>
        <Text size="sm">{t.onCommandLineOfModule}</Text>
        <Code block>{lines}</Code>
      </div>
      <Text size="sm">
        {t.forSomethingElse(
          <Anchor
            href={addressOf('devices.certificates', { params: { device_id: device.id } })}
            download="certificates.zip"
          >
            {t.certificateAndKeyAsZip}
          </Anchor>,
        )}
      </Text>
      <Group justify="space-between">
        <PageLink href={`/devices/${device.id}`} onClick={onClose}>
          {t.toDevice}
        </PageLink>
        <Button onClick={onClose}>{common.close}</Button>
      </Group>
    </Stack>
  );
}

interface ProvisionFormProps {
  readonly platforms: readonly PlatformRecord[];
  readonly onDone: (device: ProvisionedDevice) => void;
}

function ProvisionForm({ platforms, onDone }: ProvisionFormProps) {
  const [first] = platforms;
  const [platformId, setPlatformId] = useState(first?.id ?? '');
  const platform = platforms.find(({ id }) => id === platformId);
  const [uuid, setUuid] = useState(() => (first ? randomUuid(first) : ''));
  const [title, setTitle] = useState('');
  const choose = (id: string | null): void => {
    const chosen = platforms.find((one) => one.id === id);
    if (!chosen) return;
    setPlatformId(chosen.id);
    setUuid(randomUuid(chosen));
  };
  const provision = async (): Promise<void> => {
    const body = { uuid, platform_id: platformId, ...(title !== '' && { title }) };
    const { value } = await call('devices.provision', { body });
    void renew('devices', 'overview', 'fleet');
    onDone(value);
  };
  return (
    <Form submit={t.provision} disabled={!platform || uuid.length !== uuidDigits} onSubmit={provision}>
      <Select
        label={common.platform}
        data={platforms.map(({ id, title: name, code }) => ({ value: id, label: `${name} (${code})` }))}
        allowDeselect={false}
        value={platformId}
        onChange={choose}
      />
      <TextInput
        label={t.hardwareUuid}
        description={t.hexadecimalDigitsKeepProposalFor(uuidDigits)}
        value={uuid}
        onChange={(event) => setUuid(event.currentTarget.value.trim())}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        required
      />
      <TextInput
        label={common.title}
        description={t.whatPeopleCallItLast}
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
    </Form>
  );
}

function ProvisionDialog({ onClose }: { readonly onClose: () => void }) {
  const { init } = useInit();
  const isAdmin = useIsAdmin();
  const [made, setMade] = useState<ProvisionedDevice>();
  if (!init) return <Loading />;
  const platforms = init.platforms.filter(({ code }) => isAdmin || code === softwarePlatform);
  if (made) return <Provisioned device={made} onClose={onClose} />;
  if (platforms.length > 0) return <ProvisionForm platforms={platforms} onDone={setMade} />;
  return isAdmin ? (
    <Text size="sm">
      {t.deviceIsMadeForPlatform(
        <PageLink href="/platforms?new=1" onClick={onClose}>
          {t.addPlatform}
        </PageLink>,
      )}
    </Text>
  ) : (
    <Text size="sm">{t.moduleHardwareIsProvisionedBy(softwarePlatform)}</Text>
  );
}

/** Asks for what a new device needs, makes it, and shows its token once. */
export function openProvision(): void {
  openDialog({ title: t.newDevice, size: 'lg' }, (close) => <ProvisionDialog onClose={close} />);
}
