import { Checkbox, FileInput, Progress, Select, Text, Textarea, TextInput } from '@mantine/core';
import type { FlavorRecord, PlatformDetail } from '@moorage/api';
import { useState } from 'react';
import { call, upload } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { base64Of } from '../../ui/base64.ts';
import { Form } from '../../ui/form.tsx';
import { formatSize } from '../../ui/format.ts';
import { notify } from '../../ui/notify.ts';
import { readVersion } from '../product/versions.ts';

const isPartCode = (code: string): boolean => /^[A-Za-z0-9_.-]{1,32}$/.test(code);
const wrongCode = 'Only letters, digits, "_", "." and "-", up to 32 of them';

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
      body: { code: 'W', title: 'Base edition' },
    });
    await renew('platforms', 'overview');
    notify(`Platform ${platform.code} is added, with its base edition`);
    onDone(platform);
  };
  return (
    <Form submit="Add the platform" disabled={title === '' || !isPartCode(code) || wrongPart} onSubmit={add}>
      <TextInput
        label="Title"
        required
        maxLength={128}
        data-autofocus
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <TextInput
        label="Code"
        description="Letters, digits, dot, hyphen and underscore; usually the name of the part"
        required
        maxLength={32}
        error={code !== '' && !isPartCode(code) && wrongCode}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <TextInput
        label="Part id"
        description="8 hexadecimal digits that the uuids of its devices begin with; none for software"
        maxLength={8}
        error={wrongPart && 'Exactly 8 of the digits 0 to 9 and a to f'}
        value={partId}
        onChange={(event) => setPartId(event.currentTarget.value)}
      />
      <TextInput
        label="Manufacturer"
        maxLength={64}
        value={manufacturer}
        onChange={(event) => setManufacturer(event.currentTarget.value)}
      />
      <Textarea
        label="Description"
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
    notify(`Edition ${code} is added`);
    onDone();
  };
  return (
    <Form submit="Add the edition" disabled={!isPartCode(code)} onSubmit={add}>
      <TextInput
        label="Code"
        description="W is the base edition"
        required
        maxLength={32}
        error={code !== '' && !isPartCode(code) && wrongCode}
        data-autofocus
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <TextInput
        label="Title"
        maxLength={128}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Checkbox
        label="Its bundles are built with the SDK"
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
      notify(`Firmware ${label} ${version} is added`);
      onDone();
    } finally {
      setShare(undefined);
    }
  };
  return (
    <Form
      submit="Upload the firmware"
      disabled={flavor === null || label === '' || !readVersion(version)}
      onSubmit={add}
    >
      <Select
        label="Edition"
        data={editionsOf(platform.flavors)}
        allowDeselect={false}
        value={flavor}
        onChange={setFlavor}
      />
      <TextInput
        label="Label"
        required
        maxLength={64}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <TextInput
        label="Version"
        description="Four numbers with dots between them"
        required
        error={version !== '' && !readVersion(version) && 'A version is four numbers with dots between them'}
        value={version}
        onChange={(event) => setVersion(event.currentTarget.value)}
      />
      <FileInput
        label="Files"
        description="What every device with this firmware gets; a virtual module needs none"
        multiple
        clearable
        clearButtonProps={{ 'aria-label': 'No files' }}
        value={files}
        onChange={setFiles}
      />
      {files.length > 0 && (
        <Text size="sm" c="dimmed">
          {formatSize(bytes)} in {files.length === 1 ? 'one file' : `${files.length} files`}
        </Text>
      )}
      {share !== undefined && <Progress value={share * 100} animated aria-label="Upload" />}
    </Form>
  );
}
