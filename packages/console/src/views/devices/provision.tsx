import { ActionIcon, Alert, Button, Code, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { PlatformRecord, ProvisionedDevice } from '@moorage/api';
import { IconQrcode } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { useInit, useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { t as scan } from '../../texts/scan.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Loading } from '../../ui/states.tsx';
import { CertificatesButton } from '../device/certificates-button.tsx';
import { openScan } from './scan.tsx';

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
      <Text size="sm">{t.forSomethingElse}</Text>
      <CertificatesButton deviceId={device.id} />
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
  const form = useForm({
    initialValues: { platform_id: first?.id ?? '', uuid: first ? randomUuid(first) : '', title: '' },
    validate: { platform_id: needed, uuid: (uuid) => uuid.length !== uuidDigits },
  });
  const choose = (id: string | null): void => {
    const chosen = platforms.find((one) => one.id === id);
    if (chosen) form.setValues({ platform_id: chosen.id, uuid: randomUuid(chosen) });
  };
  const provision = async (): Promise<void> => {
    const { title, ...body } = form.values;
    const { value } = await call('devices.provision', { body: { ...body, ...(title !== '' && { title }) } });
    void renew('devices', 'overview', 'fleet');
    onDone(value);
  };
  return (
    <Form submit={t.provision} fields={form} disabled={!form.isValid()} onSubmit={provision}>
      <Select
        label={common.platform}
        data={platforms.map(({ id, title: name, code }) => ({ value: id, label: `${name} (${code})` }))}
        allowDeselect={false}
        {...form.getInputProps('platform_id')}
        onChange={choose}
      />
      <TextInput
        label={t.hardwareUuid}
        description={t.hexadecimalDigitsKeepProposalFor(uuidDigits)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        required
        {...form.getInputProps('uuid')}
        onChange={(event) => form.setFieldValue('uuid', event.currentTarget.value.trim())}
        rightSection={
          <ActionIcon
            variant="subtle"
            aria-label={scan.scanCode}
            onClick={() => openScan((uuid) => form.setFieldValue('uuid', uuid.toLowerCase()))}
          >
            <IconQrcode size={16} aria-hidden />
          </ActionIcon>
        }
      />
      <TextInput
        label={common.title}
        description={t.whatPeopleCallItLast}
        maxLength={128}
        {...form.getInputProps('title')}
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
