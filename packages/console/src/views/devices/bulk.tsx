import { Alert, Button, Group, Select, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { attributeName, tags } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/devices.tsx';
import { formatCount, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { type Job, runJob } from '../../ui/jobs.tsx';
import { ProductSelect } from '../../ui/product-select.tsx';
import { jobFor, type Target, type Work } from './bulk-jobs.ts';
import { BulkMenu } from './bulk-menu.tsx';

interface DialogProps {
  readonly target: Target;
  readonly onStart: (job: Job) => void;
}

const noTag = '(none)';

function TagDialog({ target, onStart }: DialogProps) {
  const [tag, setTag] = useState<string | null>(null);
  const devices = plural(target.count, nouns.device);
  const start = async (): Promise<void> => {
    // Safe: the choices are the contract's values.
    const body = { tag: (tag === noTag ? '' : tag) as '' | (typeof tags)[number] };
    onStart(
      jobFor(target, t.tagging(devices), (device_ids) => call('manyDevices.setTag', { body: { ...body, device_ids } })),
    );
  };
  return (
    <Form submit={t.tag(devices)} onSubmit={start} disabled={tag === null}>
      <Select
        label={common.tag}
        description={t.ofBundlesThatTheseDevices}
        data={[{ value: noTag, label: t.noTag }, ...tags]}
        allowDeselect={false}
        placeholder={t.chooseOne}
        value={tag}
        onChange={setTag}
        data-autofocus
      />
      {tag !== null && (
        <Alert color="blue" variant="outline">
          {tag === noTag ? t.loseTag(devices) : t.followTag(devices, tag)}
        </Alert>
      )}
    </Form>
  );
}

function ActivateDialog({ target, onStart }: DialogProps) {
  const [product, setProduct] = useState<string | null>(null);
  const devices = plural(target.count, nouns.device);
  const start = async (): Promise<void> => {
    if (product === null) return;
    const activate: Work = (device_ids) => call('manyDevices.activate', { body: { product_id: product, device_ids } });
    onStart(jobFor(target, t.activating(devices), activate));
  };
  return (
    <Form submit={t.activate(devices)} onSubmit={start} disabled={product === null}>
      <ProductSelect
        label={common.product}
        placeholder={t.partOfItsTitleOr}
        required
        value={product}
        onChange={setProduct}
      />
      <Alert color="blue" variant="outline">
        {t.willBelongToThisProduct(devices)}
      </Alert>
    </Form>
  );
}

function LabelDialog({ target, onStart }: DialogProps) {
  const form = useForm({
    initialValues: { name: '', value: '', removes: false },
    validateInputOnChange: true,
    validate: { name: (name) => (new RegExp(attributeName).test(name) ? null : t.letterThenLettersDigits) },
  });
  const devices = plural(target.count, nouns.device);
  const start = async (): Promise<void> => {
    const { name, value, removes } = form.values;
    const labels = { [name]: removes ? null : value };
    const label: Work = (device_ids) => call('attributes.setManyLabels', { body: { device_ids, labels } });
    onStart(jobFor(target, t.labelling(devices), label));
  };
  return (
    <Form submit={t.label(devices)} onSubmit={start} disabled={!form.isValid()}>
      <TextInput
        label={common.label}
        placeholder="region"
        maxLength={64}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        label={common.value}
        placeholder="eu"
        maxLength={256}
        disabled={form.values.removes}
        {...form.getInputProps('value')}
      />
      <Switch label={t.takeThisLabelOffThem} {...form.getInputProps('removes', { type: 'checkbox' })} />
    </Form>
  );
}

interface BulkBarProps {
  readonly target: Target;
  /** How many fit the filters, when fewer are marked. */
  readonly all: number;
  readonly onAll: () => void;
  readonly onClear: () => void;
}

/** What can be done to many devices at once; how many they are is always on the button. */
export function BulkBar({ target, all, onAll, onClear }: BulkBarProps) {
  const open = (title: string, Dialog: typeof TagDialog): void => {
    openDialog({ title }, (close) => (
      <Dialog
        target={target}
        onStart={(job) => {
          close();
          runJob(job);
        }}
      />
    ));
  };
  const devices = plural(target.count, nouns.device);
  return (
    <Group gap="sm" p="xs" bd="1px solid var(--mantine-color-default-border)" style={{ borderRadius: 8 }}>
      <Text size="sm" fw={600} role="status">
        {t.selected(devices)}
      </Text>
      {target.count < all && (
        <Button variant="subtle" size="compact-sm" onClick={onAll}>
          {t.selectAllThatFitFilters(formatCount(all))}
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => open(t.tag(devices), TagDialog)}>
        {t.tag2}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => open(t.activate(devices), ActivateDialog)}>
        {t.activate2}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => open(t.label(devices), LabelDialog)}>
        {t.label2}
      </Button>
      <BulkMenu target={target} onEnd={onClear} />
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        {t.selectNone}
      </Button>
    </Group>
  );
}
