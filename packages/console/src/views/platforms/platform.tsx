import { Box, Button, Code, Group, Image, Stack, Table, Text } from '@mantine/core';
import type { FirmwareRecord, FlavorRecord, PlatformDetail } from '@moorage/api';
import { addressOf, upload } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { Card } from '../../ui/card.tsx';
import { openDialog } from '../../ui/dialog.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { formatMoment, formatSize, msOf } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { notify } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { ChangePicture } from '../../ui/picture.tsx';
import { Empty } from '../../ui/states.tsx';
import type { ViewProps } from '../view-props.ts';
import { FirmwareForm, FlavorForm } from './platform-forms.tsx';

function Picture({ platform }: { readonly platform: PlatformDetail }) {
  const isAdmin = useIsAdmin();
  const { id, avatar_id, title } = platform;
  const send = async (body: File, onProgress: (share: number) => void): Promise<void> => {
    await upload('avatars.setPlatform', { params: { platform_id: id }, body }, { onProgress });
    await renew('platforms', 'overview');
    notify('The picture is changed');
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Image
        src={addressOf('avatars.platform', { params: { platform_id: id, ...(avatar_id && { avatar_id }) } })}
        alt={`Picture of ${title}`}
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
  if (flavors.length === 0)
    return <Empty title="No edition yet">Products are made of an edition and its firmware.</Empty>;
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table aria-label="Editions" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Code</Table.Th>
            <Table.Th>Title</Table.Th>
            <Table.Th visibleFrom="sm">Bundles</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {flavors.map(({ id, code, title, sdk, description }, index) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Code>{code}</Code>
              </Table.Td>
              <Table.Td>
                {title || '—'}
                <Text size="xs" c="dimmed">
                  {[index === 0 && 'What devices have before they are activated', description]
                    .filter(Boolean)
                    .join('. ')}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{sdk ? 'built with the SDK' : 'made here'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Firmwares({ firmwares, flavors }: Pick<PlatformDetail, 'firmwares' | 'flavors'>) {
  if (firmwares.length === 0) {
    return (
      <Empty title="No firmware yet">A bundle needs one: it is what the module runs beside the bundle's files.</Empty>
    );
  }
  const bytesOf = ({ files }: FirmwareRecord) => files.reduce((sum, { size }) => sum + size, 0);
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table aria-label="Firmware" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Version</Table.Th>
            <Table.Th>Label</Table.Th>
            <Table.Th>Edition</Table.Th>
            <Table.Th visibleFrom="sm">Files</Table.Th>
            <Table.Th visibleFrom="sm">Added</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
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
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const crumbs = [{ title: 'Platforms', href: '/platforms' }];

function PlatformPage({ platform }: { readonly platform: PlatformDetail }) {
  const isAdmin = useIsAdmin();
  const addEdition = () =>
    openDialog({ title: 'New edition' }, (onDone) => <FlavorForm platform={platform} onDone={onDone} />);
  const addFirmware = () =>
    openDialog({ title: 'New firmware' }, (onDone) => <FirmwareForm platform={platform} onDone={onDone} />);
  return (
    <Page
      title={platform.title}
      crumbs={crumbs}
      {...(platform.description !== '' && { description: platform.description })}
    >
      <Card title="Platform">
        <Group align="flex-start" gap="xl">
          <Picture platform={platform} />
          <Box flex="1 1 260px">
            <Fields>
              <Field label="Code" value={platform.code} mono />
              <Field label="Part id" value={platform.part_id} mono />
              <Field label="Manufacturer">{platform.manufacturer ?? '—'}</Field>
              <Field label="Id" value={platform.id} mono />
              <Field label="Added">{formatMoment(msOf(platform.created_at))}</Field>
              <Field label="Devices">
                <PageLink href={`/devices?platform_id=${platform.id}`}>Devices of this platform</PageLink>
              </Field>
            </Fields>
          </Box>
        </Group>
      </Card>
      <Card
        title="Editions"
        actions={
          isAdmin && (
            <Button size="compact-sm" variant="default" onClick={addEdition}>
              New edition
            </Button>
          )
        }
      >
        <Editions flavors={platform.flavors} />
      </Card>
      <Card
        title="Firmware"
        actions={
          isAdmin &&
          platform.flavors.length > 0 && (
            <Button size="compact-sm" variant="default" onClick={addFirmware}>
              New firmware
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
    <LoadedPage query={query} noun="Platform" crumbs={crumbs}>
      {({ value }) => <PlatformPage platform={value} />}
    </LoadedPage>
  );
}
