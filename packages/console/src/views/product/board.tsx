import { Button, Center, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { BundleRecord, ProductRecord } from '@moorage/api';
import { type DragEvent, useId, useState } from 'react';
import { t } from '../../texts/bundles.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { Loading } from '../../ui/states.tsx';
import { type BoardColumn, boardColumns, moveInto } from './bundle-actions.ts';
import { askMove, BundleMenu } from './bundle-menu.tsx';

const columnTitles: Readonly<Record<BoardColumn, string>> = {
  preview: t.preview,
  published: t.published,
  archive: t.archive,
  trash: t.trash,
};

const columnTexts: Readonly<Record<BoardColumn, string>> = {
  preview: t.theirFilesCanStillChange,
  published: t.frozenDevicesGetOneThat,
  archive: t.keptButNoDeviceCan,
  trash: t.whatIsPutHereIs,
};

export type BundleState = BundleRecord['state'];

/** The bundles of one column that are shown, of how many. */
export interface BoardPart {
  /** Undefined while they are on their way. */
  readonly bundles: readonly BundleRecord[] | undefined;
  readonly total: number;
  /** Shows more of them; undefined when there are no more. */
  readonly onMore: (() => void) | undefined;
}

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
          ? t.onNoDevice
          : t.runsOnOf(formatCount(device_count_bundle_ok), plural(device_count, nouns.device))}
      </Text>
      <Muted small>
        {t.firmwareMade(firmware)} <Moment at={created_at} />
      </Muted>
    </Paper>
  );
}

interface ColumnProps extends Pick<CardProps, 'product' | 'mayChange' | 'onDrag'> {
  readonly column: BoardColumn;
  readonly part: BoardPart;
  /** The bundle that is being dragged. */
  readonly dragged: BundleRecord | undefined;
}

function Column({ column, part: { bundles, total, onMore }, dragged, ...card }: ColumnProps) {
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
        {columnTitles[column]} {column !== 'trash' && `(${formatCount(total)})`}
      </Title>
      {/* Two lines high everywhere, so that the cards of all columns begin on one line. */}
      <Text size="xs" c="dimmed" mb="sm" mih={{ sm: '2lh' }}>
        {columnTexts[column]}
      </Text>
      {bundles === undefined ? (
        <Loading />
      ) : bundles.length > 0 ? (
        <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
          {bundles.map((bundle) => (
            <BundleCard key={bundle.id} bundle={bundle} {...card} />
          ))}
        </Stack>
      ) : (
        <Center mih={64} bd="1px dashed var(--mantine-color-default-border)" style={{ borderRadius: 8 }}>
          <Muted small>{move ? t.dropItHere : column === 'trash' ? t.alwaysEmpty : t.noBundle}</Muted>
        </Center>
      )}
      {bundles && onMore && (
        <Button variant="subtle" size="compact-sm" mt="xs" onClick={onMore}>
          {t.showMoreOf(formatCount(bundles.length), formatCount(total))}
        </Button>
      )}
    </Paper>
  );
}

interface BoardProps {
  readonly product: ProductRecord;
  readonly parts: Readonly<Record<BundleState, BoardPart>>;
  readonly mayChange: boolean;
}

/** What is put there is gone. */
const nothing: BoardPart = { bundles: [], total: 0, onMore: undefined };

/** The bundles by state. A bundle is moved by dragging it, or by its menu; both ask first. */
export function Board({ product, parts, mayChange }: BoardProps) {
  const [dragged, setDragged] = useState<BundleRecord>();
  // Who may put nothing into the trash has no use for it.
  const columns = boardColumns.filter((column) => mayChange || column !== 'trash');
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: columns.length }} spacing="md">
      {columns.map((column) => (
        <Column
          key={column}
          column={column}
          part={column === 'trash' ? nothing : parts[column]}
          product={product}
          mayChange={mayChange}
          dragged={dragged}
          onDrag={setDragged}
        />
      ))}
    </SimpleGrid>
  );
}
