import { SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { DeviceRecord } from '@moorage/api';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { readLocation, type TypedLocation, typedLocation } from './location.ts';

interface LocationProps {
  readonly typed: TypedLocation;
  readonly onChange: (typed: TypedLocation) => void;
}

function LocationFields({ typed, onChange }: LocationProps) {
  const read = readLocation(typed);
  const field = (name: keyof TypedLocation, label: string) => (
    <TextInput
      label={label}
      maxLength={100}
      value={typed[name]}
      error={'field' in read && read.field === name && read.problem}
      onChange={(event) => onChange({ ...typed, [name]: event.currentTarget.value })}
    />
  );
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} component="fieldset" p="sm" m={0}>
      <legend>{t.locationAllEmptyForUnknown}</legend>
      {field('lat', t.latitude)}
      {field('lon', t.longitude)}
      {field('city', t.city)}
      {field('country', t.country)}
    </SimpleGrid>
  );
}

interface EditProps {
  readonly device: DeviceRecord;
  readonly onDone: () => void;
}

function EditForm({ device, onDone }: EditProps) {
  const [before] = useState(device);
  const [title, setTitle] = useState(device.title);
  const [description, setDescription] = useState(device.description);
  const [typed, setTyped] = useState(() => typedLocation(device.location));
  const change = useChange('devices.update', 'devices', 'metrics');
  const read = readLocation(typed);
  const save = async (): Promise<void> => {
    if (!('location' in read)) return;
    const { location } = read;
    // Only what was changed here: another user may have changed the rest meanwhile.
    const body = {
      ...(title !== before.title && { title }),
      ...(description !== before.description && { description }),
      ...(JSON.stringify(location) !== JSON.stringify(before.location) && { location }),
    };
    await change.mutateAsync({ params: { device_id: device.id }, body });
    notify(t.isSaved(title));
    onDone();
  };
  return (
    <Form submit={common.save} onSubmit={save} disabled={title.trim() === '' || 'field' in read}>
      <TextInput
        label={common.title}
        required
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        data-autofocus
      />
      <Textarea
        label={common.description}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={65_536}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <LocationFields typed={typed} onChange={setTyped} />
    </Form>
  );
}

interface DialogProps {
  readonly device: DeviceRecord;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Title, description and place of a device. */
export function EditDevice({ device, opened, onClose }: DialogProps) {
  return (
    <Dialog title={t.editDevice} opened={opened} onClose={onClose}>
      <EditForm device={device} onDone={onClose} />
    </Dialog>
  );
}
