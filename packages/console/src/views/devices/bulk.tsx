import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type DeviceListQuery, type DeviceRecord, tags } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { renew } from '../../api/queries.ts';
import { formatCount, plural } from '../../ui/format.ts';
import { forEachOf, type Job, runJob } from '../../ui/jobs.tsx';
import { ProductSelect } from './filters.tsx';

/** Devices that something is to be done to: the marked ones, or all that fit the filters. */
export interface Target {
  readonly count: number;
  readonly ids: readonly string[] | undefined;
  readonly query: DeviceListQuery;
}

type Named = Pick<DeviceRecord, 'id' | 'title'>;

/** As many as one page of the service may have. */
const pageRows = 500;

/** Every device of a target, found before any of them is changed: afterwards some might not fit the filters any more. */
async function devicesOf(target: Target, signal: AbortSignal): Promise<readonly Named[]> {
  if (target.ids) return target.ids.map((id) => ({ id, title: id }));
  const found: Named[] = [];
  for (;;) {
    const query: DeviceListQuery = { ...target.query, sort: 'uuid', limit: pageRows, offset: found.length };
    const { value, total = 0 } = await call('devices.list', { query }, signal);
    found.push(...value.map(({ id, title }) => ({ id, title })));
    if (value.length === 0 || found.length >= total) return found;
  }
}

const jobFor = (target: Target, title: string, work: (id: string) => Promise<unknown>, onEnd: () => void): Job => ({
  title,
  noun: 'device',
  async run(progress, signal) {
    const devices = await devicesOf(target, signal);
    await forEachOf(devices, ({ id }) => work(id), progress, { nameOf: (device) => device.title, signal });
  },
  onEnd() {
    void renew('devices', 'fleet', 'bundles');
    onEnd();
  },
});

interface DialogProps {
  readonly target: Target;
  readonly onStart: (job: Job) => void;
  readonly onEnd: () => void;
}

const noTag = '(none)';

function TagDialog({ target, onStart, onEnd }: DialogProps) {
  const [tag, setTag] = useState<string>(noTag);
  const devices = plural(target.count, 'device');
  const start = (): void => {
    // Safe: the choices are the contract's values.
    const body = { tag: (tag === noTag ? '' : tag) as '' | (typeof tags)[number] };
    onStart(
      jobFor(target, `Tagging ${devices}`, (id) => call('devices.setTag', { params: { device_id: id }, body }), onEnd),
    );
  };
  return (
    <Stack gap="sm">
      <Select
        label="Tag"
        description="Of the bundles that these devices follow; without one they follow the release."
        data={[{ value: noTag, label: 'no tag' }, ...tags]}
        allowDeselect={false}
        value={tag}
        onChange={(value) => setTag(value ?? noTag)}
        data-autofocus
      />
      <Alert color="blue" variant="outline">
        {devices} will {tag === noTag ? 'lose their tag and follow the release' : `follow the tag "${tag}"`}. They fetch
        what that leads to with their next update.
      </Alert>
      <Group justify="flex-end">
        <Button onClick={start}>Tag {devices}</Button>
      </Group>
    </Stack>
  );
}

function ActivateDialog({ target, onStart, onEnd }: DialogProps) {
  const [product, setProduct] = useState<string | null>(null);
  const devices = plural(target.count, 'device');
  const start = (): void => {
    if (product === null) return;
    const body = { product_id: product };
    const activate = (id: string) => call('devices.activate', { params: { device_id: id }, body });
    onStart(jobFor(target, `Activating ${devices}`, activate, onEnd));
  };
  return (
    <Stack gap="sm">
      <ProductSelect
        label="Product"
        placeholder="Part of its title or code"
        required
        value={product}
        onChange={setProduct}
      />
      <Alert color="blue" variant="outline">
        {devices} will belong to this product and no longer to the one they have. They fetch its files with their next
        update. Devices of another platform, or that are not yours, are left as they are and listed.
      </Alert>
      <Group justify="flex-end">
        <Button onClick={start} disabled={product === null}>
          Activate {devices}
        </Button>
      </Group>
    </Stack>
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
    const id = modals.open({
      title,
      children: (
        <Dialog
          target={target}
          onEnd={onClear}
          onStart={(job) => {
            modals.close(id);
            runJob(job);
          }}
        />
      ),
    });
  };
  const devices = plural(target.count, 'device');
  return (
    <Group gap="sm" p="xs" bd="1px solid var(--mantine-color-default-border)" style={{ borderRadius: 8 }}>
      <Text size="sm" fw={600} role="status">
        {devices} selected
      </Text>
      {target.count < all && (
        <Button variant="subtle" size="compact-sm" onClick={onAll}>
          Select all {formatCount(all)} that fit the filters
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => open(`Tag ${devices}`, TagDialog)}>
        Tag …
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => open(`Activate ${devices}`, ActivateDialog)}>
        Activate …
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        Select none
      </Button>
    </Group>
  );
}
