import { ActionIcon, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/dashboard.ts';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { keyOfTile, moved, readLayout, type Tile } from '../tiles/layout.ts';

/** What a tile is called. */
function useName(tile: Tile): string {
  const identifier = 'part' in tile ? '' : tile.device;
  const device = useCall('devices.get', { params: { identifier } }, { enabled: identifier !== '' }).data?.value;
  return 'part' in tile ? t.parts[tile.part] : `${device?.title || tile.device}: ${tile.stream}`;
}

interface RowProps {
  readonly tile: Tile;
  readonly onMove: (by: -1 | 1) => void;
  readonly onShow: (shown: boolean) => void;
  readonly onRemove: () => void;
}

function Row({ tile, onMove, onShow, onRemove }: RowProps) {
  const name = useName(tile);
  return (
    <Group component="li" gap="xs" wrap="nowrap">
      <Text size="sm" style={{ flex: 1, overflowWrap: 'anywhere' }}>
        {name}
      </Text>
      {'part' in tile ? (
        <Checkbox
          aria-label={t.show(name)}
          checked={!tile.hidden}
          onChange={({ currentTarget }) => onShow(currentTarget.checked)}
        />
      ) : (
        <ActionIcon variant="default" aria-label={t.remove(name)} onClick={onRemove}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon variant="default" aria-label={t.moveUp(name)} onClick={() => onMove(-1)}>
        <IconArrowUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t.moveDown(name)} onClick={() => onMove(1)}>
        <IconArrowDown size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

interface ArrangeProps {
  readonly tiles: readonly Tile[];
  readonly onSave: (tiles: readonly Tile[]) => Promise<void>;
}

/** Orders the tiles of the dashboard, and hides those that are not wanted. */
export default function Arrange({ tiles: former, onSave }: ArrangeProps) {
  const [tiles, set] = useState(former);
  return (
    <Form
      submit={common.save}
      onSubmit={() => onSave(tiles)}
      more={
        <Button variant="subtle" onClick={() => set(readLayout(undefined))}>
          {t.asAtFirst}
        </Button>
      }
    >
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {tiles.map((tile, at) => (
          <Row
            key={keyOfTile(tile)}
            tile={tile}
            onMove={(by) => set(moved(tiles, at, by))}
            onShow={(shown) => set(tiles.with(at, { ...tile, hidden: !shown }))}
            onRemove={() => set(tiles.toSpliced(at, 1))}
          />
        ))}
      </Stack>
      <Muted>{t.streamsAreAddedThere}</Muted>
    </Form>
  );
}
