import { Button, Group, Stack, Table } from '@mantine/core';
import type { AuthorityRecord } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/administration.ts';
import { common } from '../../texts/common.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Muted } from '../../ui/muted.tsx';
import { SmallTable } from '../../ui/small-table.tsx';

/** How often the counts are asked for again, in ms: no event reports them. */
const recountMs = 30_000;

const states = {
  next: t.trustedSignsWithinMinute,
  active: t.signsCertificatesOfDevices,
  retiring: t.stillTrusted,
  retired: 'retired',
} as const;

const Row = ({ authority }: { readonly authority: AuthorityRecord }) => (
  <Table.Tr>
    <Table.Td>{authority.name}</Table.Td>
    <Table.Td>{states[authority.state]}</Table.Td>
    <Table.Td>
      {authority.devices}
      {authority.devices > 0 && t.heardOfInLast30(authority.recent_devices)}
    </Table.Td>
    <Table.Td>
      <Moment at={authority.valid_to} />
    </Table.Td>
  </Table.Tr>
);

/** The authorities that devices trust, and how one takes the place of another. */
export function Authorities() {
  const found = useCall('identity.list', {}, { everyMs: recountMs }).data?.value ?? [];
  const rotate = useChange('identity.rotate', 'identity');
  const retire = useChange('identity.retire', 'identity');
  const retiring = found.find(({ state }) => state === 'retiring');
  const isOpen = found.some(({ state }) => state === 'next' || state === 'retiring');
  const askRotate = (): void =>
    confirm({
      title: t.makeNewAuthority,
      body: t.devicesGetItWithRenewal,
      action: t.makeIt,
      run: () => rotate.mutateAsync({}),
      done: t.newAuthorityIsMade,
    });
  const askRetire = ({ devices }: AuthorityRecord): void =>
    confirm({
      title: t.retireOldAuthority,
      body: devices === 0 ? t.noDeviceGoesByIt : t.devicesGoByItThey(devices),
      action: devices === 0 ? t.retire : t.retireAllSame,
      destructive: true,
      run: () => retire.mutateAsync({ body: { force: devices > 0 } }),
      done: t.oldAuthorityIsRetired,
    });
  return (
    <Card
      title={t.authorities}
      actions={
        <Group gap="xs">
          {retiring && (
            <Button size="compact-sm" variant="default" onClick={() => askRetire(retiring)}>
              {t.retireOldOne}
            </Button>
          )}
          {found.length > 0 && !isOpen && (
            <Button size="compact-sm" variant="default" onClick={askRotate}>
              {t.rotate}
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="sm">
        <Muted>{t.devicesKnowThisServiceBy}</Muted>
        <SmallTable label={t.authorities} columns={[t.authority, common.state, t.devicesThatGoByIt, t.ends]}>
          {found.map((authority) => (
            <Row key={authority.fingerprint} authority={authority} />
          ))}
        </SmallTable>
      </Stack>
    </Card>
  );
}
