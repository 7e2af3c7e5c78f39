import { Box, Button, Code, Group, Image, Stack, Table } from '@mantine/core';
import type { FirmwareRecord, FlavorRecord, PlatformDetail } from '@moorage/api';
import { addressOf, upload } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { formatMoment, formatSize, msOf } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/platforms.ts';
import { Card } from '../../ui/card.tsx';
import { openDialog } from '../../ui/dialogs.ts';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { ChangePicture } from '../../ui/picture.tsx';
import { SmallTable } from '../../ui/small-table.tsx';
import { Empty } from '../../ui/states.tsx';
import type { ViewProps } from '../view-props.ts';
import { Access } from './access.tsx';
import { FirmwareForm, FlavorForm } from './platform-forms.tsx';

function Picture({ platform }: { readonly platform: PlatformDetail }) {
  const isAdmin = useIsAdmin();
  const { id, avatar_id, title } = platform;
  const send = async (body: File, onProgress: (share: number) => void): Promise<void> => {
    await upload('avatars.setPlatform', { params: { platform_id: id }, body }, { onProgress });
    await renew('platforms', 'overview');
    notify(t.pictureIsChanged);
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Image
        src={addressOf('avatars.platform', { params: { platform_id: id, ...(avatar_id && { avatar_id }) } })}
        alt={t.pictureOf(title)}
        w={96}
        h={96}
        fit="contain"
        radius="md"
      />
      {isAdmin && <ChangePicture send={send} />}
    </Stack>
  );
}

function Editions({ flavors }: { readonly flavors: readonly FlavorRecord[] }) {
  const isAdmin = useIsAdmin();
  if (flavors.length === 0) return <Empty title={t.noEditionYet}>{t.productsAreMadeOfEdition}</Empty>;
  return (
    <SmallTable
      label={t.editions}
      fits
      columns={[common.code, common.title, { title: common.bundles, from: 'sm' }, ...(isAdmin ? [common.for] : [])]}
      verticalSpacing="xs"
    >
      {flavors.map(({ id, code, title, sdk, description }, index) => (
        <Table.Tr key={id}>
          <Table.Td>
            <Code>{code}</Code>
          </Table.Td>
          <Table.Td>
            {title || '—'}
            <Muted small>{[index === 0 && t.whatDevicesHaveBeforeThey, description].filter(Boolean).join('. ')}</Muted>
          </Table.Td>
          <Table.Td visibleFrom="sm">{sdk ? t.builtWithSdk : t.madeHere}</Table.Td>
          {isAdmin && (
            <Table.Td>
              <Access kind="edition" id={id} title={t.edition(code)} />
            </Table.Td>
          )}
        </Table.Tr>
      ))}
    </SmallTable>
  );
}

function Firmwares({ firmwares, flavors }: Pick<PlatformDetail, 'firmwares' | 'flavors'>) {
  if (firmwares.length === 0) {
    return <Empty title={t.noFirmwareYet}>{t.bundleNeedsOneItIs}</Empty>;
  }
  const bytesOf = ({ files }: FirmwareRecord) => files.reduce((sum, { size }) => sum + size, 0);
  return (
    <SmallTable
      label={common.firmware}
      fits
      columns={[
        common.version,
        common.label,
        common.edition,
        { title: common.files, from: 'sm' },
        { title: t.added, from: 'sm' },
      ]}
      verticalSpacing="xs"
    >
      {firmwares.map((firmware) => (
        <Table.Tr key={firmware.id}>
          <Table.Td>{firmware.version}</Table.Td>
          <Table.Td>{firmware.label}</Table.Td>
          <Table.Td>{flavors.find(({ id }) => id === firmware.flavor_id)?.code ?? '—'}</Table.Td>
          <Table.Td visibleFrom="sm">
            {firmware.files.length} ({formatSize(bytesOf(firmware))})
          </Table.Td>
          <Table.Td visibleFrom="sm">{formatMoment(msOf(firmware.created_at))}</Table.Td>
        </Table.Tr>
      ))}
    </SmallTable>
  );
}

const crumbs = [{ title: t.platforms, href: '/platforms' }];

function PlatformPage({ platform }: { readonly platform: PlatformDetail }) {
  const isAdmin = useIsAdmin();
  const addEdition = () =>
    openDialog({ title: t.newEdition }, (onDone) => <FlavorForm platform={platform} onDone={onDone} />);
  const addFirmware = () =>
    openDialog({ title: t.newFirmware }, (onDone) => <FirmwareForm platform={platform} onDone={onDone} />);
  return (
    <Page
      title={platform.title}
      crumbs={crumbs}
      {...(platform.description !== '' && { description: platform.description })}
    >
      <Card title={common.platform}>
        <Group align="flex-start" gap="xl">
          <Picture platform={platform} />
          <Box flex="1 1 260px">
            <Fields>
              <Field label={common.code} value={platform.code} mono />
              <Field label={t.partId} value={platform.part_id} mono />
              <Field label={t.manufacturer}>{platform.manufacturer ?? '—'}</Field>
              <Field label={common.id} value={platform.id} mono />
              <Field label={t.added}>{formatMoment(msOf(platform.created_at))}</Field>
              <Field label={common.devices}>
                <PageLink href={`/devices?platform_id=${platform.id}`}>{t.devicesOfThisPlatform}</PageLink>
              </Field>
              {isAdmin && (
                <Field label={common.for}>
                  <Access kind="platform" id={platform.id} title={t.platform(platform.code)} />
                </Field>
              )}
            </Fields>
          </Box>
        </Group>
      </Card>
      <Card
        title={t.editions}
        actions={
          isAdmin && (
            <Button size="compact-sm" variant="default" onClick={addEdition}>
              {t.newEdition}
            </Button>
          )
        }
      >
        <Editions flavors={platform.flavors} />
      </Card>
      <Card
        title={common.firmware}
        actions={
          isAdmin &&
          platform.flavors.length > 0 && (
            <Button size="compact-sm" variant="default" onClick={addFirmware}>
              {t.newFirmware}
            </Button>
          )
        }
      >
        <Firmwares {...platform} />
      </Card>
    </Page>
  );
}

/** One platform with its editions and firmware. */
export default function Platform({ params: { id = '' } }: ViewProps) {
  const query = useCall('platforms.get', { params: { platform_id: id } });
  return (
    <LoadedPage query={query} noun={nouns.platform} crumbs={crumbs}>
      {({ value }) => <PlatformPage platform={value} />}
    </LoadedPage>
  );
}
