import { Checkbox, FileInput, Progress, Select, Text, Textarea, TextInput } from '@mantine/core';
import type { FlavorRecord, PlatformDetail } from '@moorage/api';
import { useState } from 'react';
import { call, upload } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/platforms.ts';
import { base64Of } from '../../ui/base64.ts';
import { Form } from '../../ui/form.tsx';
import { formatSize } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { readVersion } from '../product/versions.ts';

const isPartCode = (code: string): boolean => /^[A-Za-z0-9_.-]{1,32}$/.test(code);
const wrongCode = t.onlyLettersDigitsAndUp;

/** Asks for a new platform. Its base edition is made with it: without one nothing can be built on it. */
export function PlatformForm({ onDone }: { readonly onDone: (platform: PlatformDetail) => void }) {
  const [title, setTitle] = useState('');
  const [code, setCode] = useState('');
  const [partId, setPartId] = useState('');
  const [manufacturer, setManufacturer] = useState('');
  const [description, setDescription] = useState('');
  const wrongPart = partId !== '' && !/^[0-9A-Fa-f]{8}$/.test(partId);
  const add = async (): Promise<void> => {
    const body = { code, title, description, part_id: partId || null, manufacturer: manufacturer || null };
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
    <Form submit={t.addPlatform} disabled={title === '' || !isPartCode(code) || wrongPart} onSubmit={add}>
      <TextInput
        label={common.title}
        required
        maxLength={128}
        data-autofocus
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextInput
        label={common.code}
        description={t.lettersDigitsDotHyphenAnd}
        required
        maxLength={32}
        error={code !== '' && !isPartCode(code) && wrongCode}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <TextInput
        label={t.partId}
        description={t.n8HexadecimalDigitsThatUuids}
        maxLength={8}
        error={wrongPart && t.exactly8OfDigits0}
        value={partId}
        onChange={(event) => setPartId(event.currentTarget.value)}
      />
      <TextInput
        label={t.manufacturer}
        maxLength={64}
        value={manufacturer}
        onChange={(event) => setManufacturer(event.currentTarget.value)}
      />
      <Textarea
        label={common.description}
        autosize
        minRows={2}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </Form>
  );
}

interface PartFormProps {
  readonly platform: PlatformDetail;
  readonly onDone: () => void;
}

/** Asks for a new edition of a platform. */
export function FlavorForm({ platform, onDone }: PartFormProps) {
  const [code, setCode] = useState('');
  const [title, setTitle] = useState('');
  const [sdk, setSdk] = useState(false);
  const add = async (): Promise<void> => {
    const body = { code, ...(title !== '' && { title }), sdk };
    await call('platforms.addFlavor', { params: { platform_id: platform.id }, body });
    await renew('platforms', 'overview');
    notify(t.editionIsAdded(code));
    onDone();
  };
  return (
    <Form submit={t.addEdition} disabled={!isPartCode(code)} onSubmit={add}>
      <TextInput
        label={common.code}
        description={t.wIsBaseEdition}
        required
        maxLength={32}
        error={code !== '' && !isPartCode(code) && wrongCode}
        data-autofocus
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <TextInput
        label={common.title}
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Checkbox
        label={t.itsBundlesAreBuiltWith}
        checked={sdk}
        onChange={(event) => setSdk(event.currentTarget.checked)}
      />
    </Form>
  );
}

const editionsOf = (flavors: readonly FlavorRecord[]) =>
  flavors.map(({ id, code, title }) => ({ value: id, label: title === '' ? code : `${title} (${code})` }));

/** Asks for a new firmware of a platform, with its files. */
export function FirmwareForm({ platform, onDone }: PartFormProps) {
  const [flavor, setFlavor] = useState<string | null>(platform.flavors[0]?.id ?? null);
  const [label, setLabel] = useState(platform.flavors[0]?.code ?? '');
  const [version, setVersion] = useState('1.0.0.0');
  const [files, setFiles] = useState<File[]>([]);
  const [share, setShare] = useState<number>();
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const add = async (): Promise<void> => {
    if (flavor === null) return;
    setShare(0);
    try {
      const read = await Promise.all(
        files.map(async (file) => ({ filename: file.name, base64: await base64Of(file), version })),
      );
      const body = { flavor_id: flavor, label, version, files: read };
      await upload('platforms.addFirmware', { params: { platform_id: platform.id }, body }, { onProgress: setShare });
      await renew('platforms', 'overview');
      notify(t.firmwareIsAdded(label, version));
      onDone();
    } finally {
      setShare(undefined);
    }
  };
  return (
    <Form submit={t.uploadFirmware} disabled={flavor === null || label === '' || !readVersion(version)} onSubmit={add}>
      <Select
        label={common.edition}
        data={editionsOf(platform.flavors)}
        allowDeselect={false}
        value={flavor}
        onChange={setFlavor}
      />
      <TextInput
        label={common.label}
        required
        maxLength={64}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <TextInput
        label={common.version}
        description={t.fourNumbersWithDotsBetween}
        required
        error={version !== '' && !readVersion(version) && t.versionIsFourNumbersWith}
        value={version}
        onChange={(event) => setVersion(event.currentTarget.value)}
      />
      <FileInput
        label={common.files}
        description={t.whatEveryDeviceWithThis}
        multiple
        clearable
        clearButtonProps={{ 'aria-label': t.noFiles }}
        value={files}
        onChange={setFiles}
      />
      {files.length > 0 && (
        <Text size="sm" c="dimmed">
          {t.in(formatSize(bytes), files.length === 1 ? t.oneFile : t.files(files.length))}
        </Text>
      )}
      {share !== undefined && <Progress value={share * 100} animated aria-label={t.upload} />}
    </Form>
  );
}
