import { Center, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { BundleRecord, ProductRecord } from '@moorage/api';
import { type DragEvent, useId, useState } from 'react';
import { StateBadge } from '../../ui/badge.tsx';
import { formatCount, plural } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { type BoardColumn, boardColumns, moveInto } from './bundle-actions.ts';
import { askMove, BundleMenu } from './bundle-menu.tsx';

const columnTitles: Readonly<Record<BoardColumn, string>> = {
  preview: 'Preview',
  published: 'Published',
  archive: 'Archive',
  trash: 'Trash',
};

const columnTexts: Readonly<Record<BoardColumn, string>> = {
  preview: 'Their files can still change. No device gets them.',
  published: 'Frozen. Devices get the one that carries their tag.',
  archive: 'Kept, but no device can ask for them.',
  trash: 'What is put here is deleted at once, with its files.',
};

interface CardProps {
  readonly bundle: BundleRecord;
  readonly product: ProductRecord;
  readonly mayChange: boolean;
  readonly onDrag: (bundle: BundleRecord | undefined) => void;
}

function BundleCard({ bundle, product, mayChange, onDrag }: CardProps) {
  const { id, version, tag, firmware, device_count, device_count_bundle_ok, created_at } = bundle;
  return (
    <Paper
      component="li"
      withBorder
      p="sm"
      radius="md"
      draggable={mayChange}
      style={mayChange ? { cursor: 'grab' } : undefined}
      onDragStart={(event) => {
        // Some browsers drag nothing that has no data.
        event.dataTransfer.setData('text/plain', version);
        onDrag(bundle);
      }}
      onDragEnd={() => onDrag(undefined)}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Group gap={6}>
          <PageLink href={`/bundles/${id}`} fw={600}>
            {version}
          </PageLink>
          {tag && <StateBadge state={tag} />}
        </Group>
        {mayChange && <BundleMenu bundle={bundle} product={product} />}
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        {device_count === 0
          ? 'On no device'
          : `Runs on ${formatCount(device_count_bundle_ok)} of ${plural(device_count, 'device')}`}
      </Text>
      <Text size="xs" c="dimmed">
        Firmware {firmware} · made <Moment at={created_at} />
      </Text>
    </Paper>
  );
}

interface ColumnProps extends Pick<CardProps, 'product' | 'mayChange' | 'onDrag'> {
  readonly column: BoardColumn;
  readonly bundles: readonly BundleRecord[];
  /** The bundle that is being dragged. */
  readonly dragged: BundleRecord | undefined;
}

function Column({ column, bundles, dragged, ...card }: ColumnProps) {
  const heading = useId();
  const move = dragged && moveInto(dragged, column);
  const over = (event: DragEvent): void => {
    // Without this the browser takes the place for one where nothing can be dropped.
    if (move) event.preventDefault();
  };
  return (
    <Paper
      component="section"
      aria-labelledby={heading}
      withBorder
      p="sm"
      bg="var(--mantine-color-default-hover)"
      style={move && { outline: '2px dashed var(--mantine-color-anchor)' }}
      onDragOver={over}
      onDrop={() => dragged && move && askMove(dragged, move)}
    >
      <Title order={2} size="h5" id={heading}>
        {columnTitles[column]} {column !== 'trash' && `(${formatCount(bundles.length)})`}
      </Title>
      {/* Two lines high everywhere, so that the cards of all columns begin on one line. */}
      <Text size="xs" c="dimmed" mb="sm" mih={{ sm: '2lh' }}>
        {columnTexts[column]}
      </Text>
      {bundles.length > 0 ? (
        <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
          {bundles.map((bundle) => (
            <BundleCard key={bundle.id} bundle={bundle} {...card} />
          ))}
        </Stack>
      ) : (
        <Center mih={64} bd="1px dashed var(--mantine-color-default-border)" style={{ borderRadius: 8 }}>
          <Text size="xs" c="dimmed">
            {move ? 'Drop it here' : column === 'trash' ? 'Always empty' : 'No bundle'}
          </Text>
        </Center>
      )}
    </Paper>
  );
}

interface BoardProps {
  readonly product: ProductRecord;
  readonly bundles: readonly BundleRecord[];
  readonly mayChange: boolean;
}

/** The bundles by state. A bundle is moved by dragging it, or by its menu; both ask first. */
export function Board({ product, bundles, mayChange }: BoardProps) {
  const [dragged, setDragged] = useState<BundleRecord>();
  // Who may put nothing into the trash has no use for it.
  const columns = boardColumns.filter((column) => mayChange || column !== 'trash');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: columns.length }} spacing="md">
      {columns.map((column) => (
        <Column
          key={column}
          column={column}
          bundles={bundles.filter(({ state }) => state === column)}
          product={product}
          mayChange={mayChange}
          dragged={dragged}
          onDrag={setDragged}
        />
      ))}
    </SimpleGrid>
  );
}
