import { SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { DeviceRecord } from '@moorage/api';
import { useState } from 'react';
import { useEdit } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { readLocation, type TypedLocation, typedLocation } from './location.ts';

interface EditProps {
  readonly device: DeviceRecord;
  readonly onDone: () => void;
}

/** Title, description and place of a device. */
export function EditForm({ device, onDone }: EditProps) {
  const [before] = useState(device);
  const form = useForm({
    initialValues: { title: device.title, description: device.description, ...typedLocation(device.location) },
    validate: { title: needed },
  });
  const change = useEdit('devices.update', ['devices.get', { params: { identifier: device.id } }], {
    renews: ['metrics'],
  });
  const { title, description } = form.values;
  const read = readLocation(form.values);
  const save = async (): Promise<void> => {
    if (!('location' in read)) return;
    const { location } = read;
    // Only what was changed here: another user may have changed the rest meanwhile.
    const body = {
      ...(title !== before.title && { title }),
      ...(description !== before.description && { description }),
      ...(JSON.stringify(location) !== JSON.stringify(before.location) && { location }),
    };
    await change({ params: { device_id: device.id }, body });
    notify(t.isSaved(title));
    onDone();
  };
  const place = (name: keyof TypedLocation, label: string) => (
    <TextInput
      label={label}
      maxLength={100}
      {...form.getInputProps(name)}
      error={'field' in read && read.field === name ? read.problem : form.errors[name]}
    />
  );
  return (
    <Form submit={common.save} onSubmit={save} fields={form} disabled={!form.isValid() || 'field' in read}>
      <TextInput label={common.title} required maxLength={128} data-autofocus {...form.getInputProps('title')} />
      <Textarea
        label={common.description}
        autosize
        minRows={3}
        maxRows={12}
        maxLength={65_536}
        {...form.getInputProps('description')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} component="fieldset" p="sm" m={0}>
        <legend>{t.locationAllEmptyForUnknown}</legend>
        {place('lat', t.latitude)}
        {place('lon', t.longitude)}
        {place('city', t.city)}
        {place('country', t.country)}
      </SimpleGrid>
    </Form>
  );
}
