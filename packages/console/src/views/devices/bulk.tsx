import { Alert, Button, Group, Select, Text } from '@mantine/core';
import { type DeviceListQuery, type DeviceRecord, type ManyResult, type Reply, tags } from '@moorage/api';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { queryClient, renew } from '../../api/queries.ts';
import { inBatches, type JobFailure } from '../../ui/batches.ts';
import { openDialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { formatCount, plural } from '../../ui/format.ts';
import { type Job, runJob } from '../../ui/jobs.tsx';
import { ProductSelect } from './filters.tsx';

/** Devices that something is to be done to: the marked ones, or all that fit the filters. */
export interface Target {
  readonly count: number;
  readonly ids: readonly string[] | undefined;
  readonly query: DeviceListQuery;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** As many as one page of the service may have. */
const pageRows = 500;

/** What devices are called that some list has shown, by their ids. */
function shownNames(): ReadonlyMap<string, string> {
  const lists = queryClient.getQueriesData<Reply<DeviceRecord[]>>({ queryKey: ['devices', 'list'] });
  return new Map(lists.flatMap(([, data]) => data?.value ?? []).map((device) => [device.id, nameOf(device)]));
}

const nameOf = ({ title, uuid }: DeviceRecord): string => title || uuid;

/** Every device of a target, found before any of them is changed: afterwards some might not fit the filters any more. */
async function devicesOf(target: Target, signal: AbortSignal): Promise<readonly Named[]> {
  if (target.ids) {
    const names = shownNames();
    return target.ids.map((id) => ({ id, name: names.get(id) ?? id }));
  }
  const found: Named[] = [];
  for (;;) {
    const query: DeviceListQuery = { ...target.query, sort: 'uuid', limit: pageRows, offset: found.length };
    const { value, total = 0 } = await call('devices.list', { query }, signal);
    found.push(...value.map((device) => ({ id: device.id, name: nameOf(device) })));
    if (value.length === 0 || found.length >= total) return found;
  }
}

/** Devices of one call: many enough to be fast, few enough that one sees it go on. The service takes up to 500. */
const devicesPerCall = 100;

/** Does one thing to some devices, and says to which it could not. */
type Work = (device_ids: string[]) => Promise<Reply<ManyResult>>;

const jobFor = (target: Target, title: string, work: Work, onEnd: () => void): Job => ({
  title,
  noun: 'device',
  async run(progress, signal) {
    const devices = await devicesOf(target, signal);
    const names = new Map(devices.map(({ id, name }) => [id, name]));
    const change = async (some: readonly Named[]): Promise<readonly JobFailure[]> => {
      const { value } = await work(some.map(({ id }) => id));
      return value.refused.map(({ device_id, message }) => ({ name: names.get(device_id) ?? device_id, message }));
    };
    await inBatches(devices, devicesPerCall, change, progress, signal);
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
  const [tag, setTag] = useState<string | null>(null);
  const devices = plural(target.count, 'device');
  const start = async (): Promise<void> => {
    // Safe: the choices are the contract's values.
    const body = { tag: (tag === noTag ? '' : tag) as '' | (typeof tags)[number] };
    onStart(
      jobFor(
        target,
        `Tagging ${devices}`,
        (device_ids) => call('manyDevices.setTag', { body: { ...body, device_ids } }),
        onEnd,
      ),
    );
  };
  return (
    <Form submit={`Tag ${devices}`} onSubmit={start} disabled={tag === null}>
      <Select
        label="Tag"
        description="Of the bundles that these devices follow; without one they follow the release."
        data={[{ value: noTag, label: 'no tag' }, ...tags]}
        allowDeselect={false}
        placeholder="Choose one"
        value={tag}
        onChange={setTag}
        data-autofocus
      />
      {tag !== null && (
        <Alert color="blue" variant="outline">
          {devices} will {tag === noTag ? 'lose their tag and follow the release' : `follow the tag "${tag}"`}. They
          fetch what that leads to with their next update.
        </Alert>
      )}
    </Form>
  );
}

function ActivateDialog({ target, onStart, onEnd }: DialogProps) {
  const [product, setProduct] = useState<string | null>(null);
  const devices = plural(target.count, 'device');
  const start = async (): Promise<void> => {
    if (product === null) return;
    const activate: Work = (device_ids) => call('manyDevices.activate', { body: { product_id: product, device_ids } });
    onStart(jobFor(target, `Activating ${devices}`, activate, onEnd));
  };
  return (
    <Form submit={`Activate ${devices}`} onSubmit={start} disabled={product === null}>
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
        onEnd={onClear}
        onStart={(job) => {
          close();
          runJob(job);
        }}
      />
    ));
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
