import { Checkbox, FileInput, Progress, Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { FlavorRecord, PlatformDetail } from '@moorage/api';
import { useState } from 'react';
import { call, upload } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatSize } from '../../texts/format.ts';
import { t } from '../../texts/platforms.ts';
import { base64Of } from '../../ui/base64.ts';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { readVersion } from '../product/versions.ts';

const isPartCode = (code: string): boolean => /^[A-Za-z0-9_.-]{1,32}$/.test(code);
const partCode = (code: string) => needed(code) ?? (isPartCode(code) ? null : t.onlyLettersDigitsAndUp);

/** Asks for a new platform. Its base edition is made with it: without one nothing can be built on it. */
export function PlatformForm({ onDone }: { readonly onDone: (platform: PlatformDetail) => void }) {
  const form = useForm({
    initialValues: { title: '', code: '', part_id: '', manufacturer: '', description: '' },
    validateInputOnChange: true,
    validate: {
      title: needed,
      code: partCode,
      part_id: (id) => id !== '' && !/^[0-9A-Fa-f]{8}$/.test(id) && t.exactly8OfDigits0,
    },
  });
  const add = async (): Promise<void> => {
    const { part_id, manufacturer, ...texts } = form.values;
    const body = { ...texts, part_id: part_id || null, manufacturer: manufacturer || null };
    const { value: platform } = await call('platforms.create', { body });
    await call('platforms.addFlavor', {
      params: { platform_id: platform.id },
      body: { code: 'W', title: t.baseEdition },
    });
    await renew('platforms', 'overview');
    notify(t.platformIsAddedWithIts(platform.code));
    onDone(platform);
  };
  return (
    <Form submit={t.addPlatform} disabled={!form.isValid()} fields={form} onSubmit={add}>
      <TextInput label={common.title} required maxLength={128} data-autofocus {...form.getInputProps('title')} />
      <TextInput
        label={common.code}
        description={t.lettersDigitsDotHyphenAnd}
        required
        maxLength={32}
        {...form.getInputProps('code')}
      />
      <TextInput
        label={t.partId}
        description={t.n8HexadecimalDigitsThatUuids}
        maxLength={8}
        {...form.getInputProps('part_id')}
      />
      <TextInput label={t.manufacturer} maxLength={64} {...form.getInputProps('manufacturer')} />
      <Textarea label={common.description} autosize minRows={2} {...form.getInputProps('description')} />
    </Form>
  );
}

interface PartFormProps {
  readonly platform: PlatformDetail;
  readonly onDone: () => void;
}

/** Asks for a new edition of a platform. */
export function FlavorForm({ platform, onDone }: PartFormProps) {
  const form = useForm({
    initialValues: { code: '', title: '', sdk: false },
    validateInputOnChange: true,
    validate: { code: partCode },
  });
  const add = async (): Promise<void> => {
    const { code, title, sdk } = form.values;
    const body = { code, ...(title !== '' && { title }), sdk };
    await call('platforms.addFlavor', { params: { platform_id: platform.id }, body });
    await renew('platforms', 'overview');
    notify(t.editionIsAdded(code));
    onDone();
  };
  return (
    <Form submit={t.addEdition} disabled={!form.isValid()} fields={form} onSubmit={add}>
      <TextInput
        label={common.code}
        description={t.wIsBaseEdition}
        required
        maxLength={32}
        data-autofocus
        {...form.getInputProps('code')}
      />
      <TextInput label={common.title} maxLength={128} {...form.getInputProps('title')} />
      <Checkbox label={t.itsBundlesAreBuiltWith} {...form.getInputProps('sdk', { type: 'checkbox' })} />
    </Form>
  );
}

const editionsOf = (flavors: readonly FlavorRecord[]) =>
  flavors.map(({ id, code, title }) => ({ value: id, label: title === '' ? code : `${title} (${code})` }));

/** Asks for a new firmware of a platform, with its files. */
export function FirmwareForm({ platform, onDone }: PartFormProps) {
  const [first] = platform.flavors;
  const form = useForm({
    initialValues: {
      flavor_id: first?.id ?? null,
      label: first?.code ?? '',
      version: '1.0.0.0',
      files: [] as File[],
    },
    validateInputOnChange: true,
    validate: {
      flavor_id: needed,
      label: needed,
      version: (version) => needed(version) ?? (readVersion(version) ? null : t.versionIsFourNumbersWith),
    },
  });
  const { files } = form.values;
  const [share, setShare] = useState<number>();
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const add = async (): Promise<void> => {
    const { flavor_id, label, version } = form.values;
    if (flavor_id === null) return;
    setShare(0);
    try {
      const read = await Promise.all(
        files.map(async (file) => ({ filename: file.name, base64: await base64Of(file), version })),
      );
      const body = { flavor_id, label, version, files: read };
      await upload('platforms.addFirmware', { params: { platform_id: platform.id }, body }, { onProgress: setShare });
      await renew('platforms', 'overview');
      notify(t.firmwareIsAdded(label, version));
      onDone();
    } finally {
      setShare(undefined);
    }
  };
  return (
    <Form submit={t.uploadFirmware} disabled={!form.isValid()} fields={form} onSubmit={add}>
      <Select
        label={common.edition}
        data={editionsOf(platform.flavors)}
        allowDeselect={false}
        {...form.getInputProps('flavor_id')}
      />
      <TextInput label={common.label} required maxLength={64} {...form.getInputProps('label')} />
      <TextInput
        label={common.version}
        description={t.fourNumbersWithDotsBetween}
        required
        {...form.getInputProps('version')}
      />
      <FileInput
        label={common.files}
        description={t.whatEveryDeviceWithThis}
        multiple
        clearable
        clearButtonProps={{ 'aria-label': t.noFiles }}
        {...form.getInputProps('files')}
      />
      {files.length > 0 && (
        <Muted>{t.in(formatSize(bytes), files.length === 1 ? t.oneFile : t.files(files.length))}</Muted>
      )}
      {share !== undefined && <Progress value={share * 100} animated aria-label={t.upload} />}
    </Form>
  );
}
