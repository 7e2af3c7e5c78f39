import { Button, FileButton, Group, Image, List, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { FirmwareRecord, FlavorRecord, PlatformDetail } from '@moorage/api';
import type { ReactNode } from 'react';
import { addressOf, upload } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import type { ViewProps } from '../../routes.ts';
import { Card } from '../../ui/card.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { formatMoment, formatSize, msOf } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { FirmwareForm, FlavorForm } from './platform-forms.tsx';

function openForm(title: string, form: (onDone: () => void) => ReactNode): void {
  const id = modals.open({ title, children: form(() => modals.close(id)) });
}

function Picture({ platform }: { readonly platform: PlatformDetail }) {
  const isAdmin = useIsAdmin();
  const { id, avatar_id, title } = platform;
  const set = async (file: File | null): Promise<void> => {
    if (!file) return;
    await upload('avatars.setPlatform', { params: { platform_id: id }, body: file });
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
      {isAdmin && (
        <FileButton
          onChange={(file) => void set(file).catch(notifyError)}
          accept="image/png,image/jpeg,image/gif,image/webp"
        >
          {(props) => (
            <Button {...props} size="compact-sm" variant="default">
              Change the picture
            </Button>
          )}
        </FileButton>
      )}
    </Stack>
  );
}

function Editions({ flavors }: { readonly flavors: readonly FlavorRecord[] }) {
  if (flavors.length === 0)
    return <Empty title="No edition yet">Products are made of an edition and its firmware.</Empty>;
  return (
    <List>
      {flavors.map(({ id, code, title, sdk, description }, index) => (
        <List.Item key={id}>
          <Text span fw={600}>
            {code}
          </Text>{' '}
          {title}
          {index === 0 && ', the base edition'}
          {sdk && ', bundles are built with the SDK'}
          {description !== '' && <Text size="sm">{description}</Text>}
        </List.Item>
      ))}
    </List>
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

function PlatformPage({ platform }: { readonly platform: PlatformDetail }) {
  const isAdmin = useIsAdmin();
  const addEdition = () => openForm('New edition', (onDone) => <FlavorForm platform={platform} onDone={onDone} />);
  const addFirmware = () => openForm('New firmware', (onDone) => <FirmwareForm platform={platform} onDone={onDone} />);
  return (
    <Page
      title={platform.title}
      crumbs={[{ title: 'Platforms', href: '/platforms' }]}
      {...(platform.description !== '' && { description: platform.description })}
    >
      <Group align="flex-start" gap="xl" wrap="wrap">
        <Picture platform={platform} />
        <Stack flex="1 1 260px">
          <Fields>
            <Field label="Code" value={platform.code} mono />
            <Field label="Part id" value={platform.part_id} mono />
            <Field label="Manufacturer" value={platform.manufacturer} />
            <Field label="Id" value={platform.id} mono />
            <Field label="Added" value={formatMoment(msOf(platform.created_at))} />
            <Field label="Devices">
              <PageLink href={`/devices?platform_id=${platform.id}`}>Devices of this platform</PageLink>
            </Field>
          </Fields>
        </Stack>
      </Group>
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
    <Loaded query={query} label="Loading the platform">
      {({ value }) => <PlatformPage platform={value} />}
    </Loaded>
  );
}
