import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { PlatformRecord, ProvisionedDevice } from '@moorage/api';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useInit, useIsAdmin } from '../../api/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { CertificatesButton } from './certificates-button.tsx';
import { randomUuid, softwarePlatform, uuidProblem } from './identity.ts';
import { Secret } from './secret.tsx';

const fill = (bytes: Uint8Array): Uint8Array => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

const macPattern = /^([0-9a-f]{12}|[0-9a-f]{2}([:-][0-9a-f]{2}){5}|[0-9a-f]{4}(\.[0-9a-f]{4}){2})$/i;

interface AddressProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function AddressInput({ label, value, onChange }: AddressProps) {
  return (
    <TextInput
      label={label}
      description="Optional; six bytes in hexadecimal"
      placeholder="4C:55:CC:10:78:9B"
      value={value}
      error={value !== '' && !macPattern.test(value) && 'It is not six bytes in hexadecimal'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface UuidProps {
  readonly platform: PlatformRecord;
  readonly uuid: string;
  readonly onChange: (uuid: string) => void;
}

function UuidInput({ platform, uuid, onChange }: UuidProps) {
  const problem = uuid === '' ? undefined : uuidProblem(uuid, platform.part_id);
  return (
    <Stack gap={6} align="flex-start">
      <TextInput
        label="Hardware uuid"
        required
        description="40 hexadecimal digits"
        error={problem}
        value={uuid}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
        ff="monospace"
        w="100%"
      />
      <Button size="compact-sm" variant="default" onClick={() => onChange(randomUuid(platform.part_id, fill))}>
        Make one by chance
      </Button>
    </Stack>
  );
}

interface FormProps {
  readonly platforms: readonly PlatformRecord[];
  readonly onMade: (device: ProvisionedDevice) => void;
}

function ProvisionForm({ platforms, onMade }: FormProps) {
  const soft = platforms.find(({ code }) => code === softwarePlatform);
  const [platformId, setPlatformId] = useState<string | null>((soft ?? platforms[0])?.id ?? null);
  const platform = platforms.find(({ id }) => id === platformId);
  const [uuid, setUuid] = useState(() => (soft ? randomUuid(soft.part_id, fill) : ''));
  const [title, setTitle] = useState('');
  const [mac, setMac] = useState('');
  const [btAddress, setBtAddress] = useState('');
  const provision = useChange('devices.provision', 'devices', 'overview', 'fleet');
  const hardware = platform?.code !== softwarePlatform;
  const bad = [mac, btAddress].some((address) => hardware && address !== '' && !macPattern.test(address));
  const choose = (id: string | null): void => {
    const next = platforms.find((one) => one.id === id);
    setPlatformId(id);
    // Of a program anything will do; that of hardware is printed on it.
    setUuid(next?.code === softwarePlatform ? randomUuid(next.part_id, fill) : '');
  };
  const submit = async (): Promise<void> => {
    if (!platform) return;
    const body = {
      uuid,
      platform_id: platform.id,
      ...(title.trim() !== '' && { title }),
      ...(hardware && mac !== '' && { mac }),
      ...(hardware && btAddress !== '' && { bt_addr: btAddress }),
    };
    onMade(await provision.mutateAsync({ body }));
  };
  return (
    <Form
      submit="Provision"
      onSubmit={submit}
      disabled={!platform || bad || uuidProblem(uuid, platform.part_id) !== undefined}
    >
      <Select
        label="Platform"
        data={platforms.map(({ id, code, title: name }) => ({ value: id, label: `${name} (${code})` }))}
        value={platformId}
        onChange={choose}
        allowDeselect={false}
        searchable
      />
      <Text size="sm">
        {hardware
          ? 'The device belongs to nobody until somebody claims it.'
          : 'A device without module hardware, such as a gateway program. It belongs to you.'}
      </Text>
      {platform && <UuidInput platform={platform} uuid={uuid} onChange={setUuid} />}
      <TextInput
        label="Title"
        description="Optional"
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      {hardware && <AddressInput label="Wi-Fi address" value={mac} onChange={setMac} />}
      {hardware && <AddressInput label="Bluetooth address" value={btAddress} onChange={setBtAddress} />}
    </Form>
  );
}

function Made({ device, onClose }: { readonly device: ProvisionedDevice; readonly onClose: () => void }) {
  return (
    <Stack gap="md">
      <Text role="status">{device.title} is provisioned.</Text>
      <Field label="UUID" value={device.uuid} mono />
      <Secret label="Provisioning token" value={device.token} />
      <Text size="sm">
        With the token the device fetches its certificate and key itself. Or download them for it: then the token is not
        needed.
      </Text>
      <CertificatesButton deviceId={device.id} />
      <Group gap="sm">
        <Button onClick={onClose}>Done</Button>
        <PageLink href={`/devices/${device.id}`}>To the device</PageLink>
      </Group>
    </Stack>
  );
}

function Steps({ onClose }: { readonly onClose: () => void }) {
  const { init } = useInit();
  const isAdmin = useIsAdmin();
  const [made, setMade] = useState<ProvisionedDevice>();
  if (made) return <Made device={made} onClose={onClose} />;
  if (!init) return <Loading />;
  const platforms = init.platforms.filter(({ code }) => isAdmin || code === softwarePlatform);
  if (platforms.length > 0) return <ProvisionForm platforms={platforms} onMade={setMade} />;
  return (
    <Empty
      title="There is no platform to provision for"
      action={isAdmin && <PageLink href="/platforms?new=1">Make a platform</PageLink>}
    >
      {isAdmin
        ? `Make one first; with the code ${softwarePlatform} it is for devices without module hardware.`
        : `You can provision software devices as soon as an administrator has made the platform ${softwarePlatform}. Module hardware is provisioned by administrators.`}
    </Empty>
  );
}

interface ProvisionProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Makes a device known to the service: a program that its user owns, or, for administrators, module hardware. */
export function ProvisionDevice({ opened, onClose }: ProvisionProps) {
  return (
    <Dialog title="Provision a device" opened={opened} onClose={onClose}>
      <Steps onClose={onClose} />
    </Dialog>
  );
}
