import { Alert, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { ProductRecord, SegmentRecord } from '@moorage/api';
import { IconPlus, IconSnowflake } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useCall, useChange, useEdit } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
import { sayReason } from '../../texts/reasons.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { needed } from '../../ui/field-errors.ts';
import { Form } from '../../ui/form.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { SmallTable } from '../../ui/small-table.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { useListAddress } from '../../ui/use-list.ts';
import { FilterBuilder } from '../rollouts/filter-builder.tsx';
import { finished } from '../rollouts/filter-rows.ts';
import { HoldFields, useHold } from '../rollouts/hold-fields.tsx';
import { Reaching, ReachNote, useReach } from '../rollouts/reach.tsx';
import { rolloutColumns } from '../rollouts/rollouts.tsx';
import { RolloutDefault } from './rollout-default.tsx';
import type { TabProps } from './tab-props.ts';

interface ProductProps {
  readonly product: ProductRecord;
}

interface DoneProps extends ProductProps {
  readonly onDone: () => void;
}

function Rollouts({ product }: ProductProps) {
  const list = useListAddress('Rollouts');
  const params = { product_id: product.id };
  const query = { limit: list.limit, offset: list.offset };
  const rollouts = useCall('rollouts.list', { params, query }, { keepPrevious: true });
  return (
    <Card
      title={common.rollouts}
      actions={
        <Button
          component={Link}
          href={`/rollouts/new?product=${product.id}`}
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
        >
          {common.newRollout}
        </Button>
      }
    >
      <DataTable
        label={common.rollouts}
        noun={nouns.rollout}
        columns={rolloutColumns}
        query={rollouts}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title={t.thereAreNoRolloutsYet}>{t.rolloutBringsBundleToDevices}</Empty>}
      />
    </Card>
  );
}

function FreezeForm({ product, onDone }: DoneProps) {
  const hold = useHold();
  const freeze = useChange('rollouts.freeze', 'rollouts', 'devices');
  const reach = useReach(product.id, { change: 'freeze' });
  const save = async (): Promise<void> => {
    await freeze.mutateAsync({ params: { product_id: product.id }, body: hold.body });
    notify(t.isFrozen(product.product));
    onDone();
  };
  return (
    <Form submit={t.freeze} onSubmit={save} disabled={!hold.isReasoned}>
      <Text size="sm">{t.nothingNewIsOfferedTo}</Text>
      <HoldFields hold={hold} endless={t.withoutOneUntilItIs} isFirst />
      <ReachNote reach={reach} />
    </Form>
  );
}

function Freeze({ product }: ProductProps) {
  const [opened, dialog] = useDisclosure();
  const thaw = useChange('rollouts.thaw', 'rollouts', 'devices');
  const freezes = useCall('rollouts.freezes', { query: { product_id: product.id } });
  const ask = (): void =>
    confirm({
      title: t.thaw(product.product),
      body: (
        <Stack gap="sm">
          {t.itsDevicesAreOfferedAgain}
          <Reaching productId={product.id} body={{ change: 'thaw' }} />
        </Stack>
      ),
      action: t.thaw2,
      run: () => thaw.mutateAsync({ params: { product_id: product.id } }),
      done: t.isNotFrozenAnyMore(product.product),
    });
  return (
    <Card
      title={t.freeze}
      actions={
        <Button size="xs" variant="default" leftSection={<IconSnowflake size={14} aria-hidden />} onClick={dialog.open}>
          {t.freeze2}
        </Button>
      }
    >
      <Loaded query={freezes}>
        {({ value: [freeze] }) =>
          freeze ? (
            <Alert color="blue" variant="outline" title={t.productIsFrozen}>
              <Stack gap="xs" align="flex-start">
                <Text size="sm">
                  {sayReason(freeze.reason)} ({t.frozenSince} <Moment at={freeze.created_at} since />
                  {freeze.until !== null && (
                    <>
                      {`, ${t.frozenUntil} `}
                      <Moment at={freeze.until} since />
                    </>
                  )}
                  )
                </Text>
                <Button size="xs" variant="default" loading={thaw.isPending} onClick={ask}>
                  {t.thaw3}
                </Button>
              </Stack>
            </Alert>
          ) : (
            <Muted>{t.itIsNotFrozenDevices}</Muted>
          )
        }
      </Loaded>
      <Dialog title={t.freezeProduct(product.product)} opened={opened} onClose={dialog.close}>
        <FreezeForm product={product} onDone={dialog.close} />
      </Dialog>
    </Card>
  );
}

interface SegmentProps extends DoneProps {
  readonly segment: SegmentRecord | undefined;
}

function SegmentForm({ product, segment, onDone }: SegmentProps) {
  const form = useForm({
    initialValues: { title: segment?.title ?? '', filter: segment?.filter ?? '' },
    validate: { title: needed, filter: (filter) => needed(filter) ?? finished(filter) },
  });
  const create = useChange('segments.create', 'segments');
  const read = ['segments.get', { params: { segment_id: segment?.id ?? '' } }] as const;
  const update = useEdit('segments.update', read, { enabled: segment !== undefined });
  const save = async (): Promise<void> => {
    const body = form.values;
    if (segment) await update({ params: { segment_id: segment.id }, body });
    else await create.mutateAsync({ params: { product_id: product.id }, body });
    notify(t.segmentIsKept(body.title));
    onDone();
  };
  return (
    <Form submit={t.keep} onSubmit={save} disabled={!form.isValid()} fields={form}>
      <TextInput label={common.title} required maxLength={128} data-autofocus {...form.getInputProps('title')} />
      <FilterBuilder productId={product.id} {...form.getInputProps('filter')} />
    </Form>
  );
}

/** As many segments as a product may have. */
const listed = 100;

function Segments({ product }: ProductProps) {
  const [edited, edit] = useState<SegmentRecord>();
  const [opened, dialog] = useDisclosure();
  const remove = useChange('segments.remove', 'segments');
  const segments = useCall('segments.list', {
    params: { product_id: product.id },
    query: { limit: listed, sort: 'title' },
  });
  const open = (segment: SegmentRecord | undefined): void => {
    edit(segment);
    dialog.open();
  };
  const ask = (segment: SegmentRecord): void =>
    confirm({
      title: t.deleteSegment(segment.title),
      body: t.itsDevicesStayAsThey,
      action: common.delete,
      destructive: true,
      run: () => remove.mutateAsync({ params: { segment_id: segment.id } }),
      done: t.segmentIsDeleted(segment.title),
    });
  return (
    <Card
      title={t.segments}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => open(undefined)}
        >
          {t.newSegment}
        </Button>
      }
    >
      <Loaded query={segments}>
        {({ value: found }) =>
          found.length === 0 ? (
            <Empty title={t.thereAreNoSegmentsYet}>{t.segmentIsFilterOfDevices}</Empty>
          ) : (
            <SmallTable label={t.segments} columns={[t.segment, t.filter, common.devices, common.actions]}>
              {found.map((segment) => (
                <Table.Tr key={segment.id}>
                  <Table.Td>{segment.title}</Table.Td>
                  <Table.Td ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
                    {segment.filter}
                  </Table.Td>
                  <Table.Td aria-label={plural(segment.devices, nouns.device)}>{formatCount(segment.devices)}</Table.Td>
                  <Table.Td>
                    <Group gap={4} wrap="nowrap">
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t.changeTitle(segment.title)}
                        onClick={() => open(segment)}
                      >
                        {t.change}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t.deleteTitle(segment.title)}
                        onClick={() => ask(segment)}
                      >
                        {common.delete2}
                      </Button>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </SmallTable>
          )
        }
      </Loaded>
      <Dialog title={edited ? t.changeSegment : t.newSegment2} size="xl" opened={opened} onClose={dialog.close}>
        <SegmentForm product={product} segment={edited} onDone={dialog.close} />
      </Dialog>
    </Card>
  );
}

/** How the devices of the product come to their versions: rollouts, a freeze, and segments to aim at. */
export default function Fleet({ product }: TabProps) {
  return (
    <Stack gap="md">
      <Rollouts product={product} />
      <RolloutDefault product={product} />
      <Freeze product={product} />
      <Segments product={product} />
    </Stack>
  );
}
