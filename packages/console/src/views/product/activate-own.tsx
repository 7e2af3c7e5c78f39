import { Button, Select, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import type { DeviceRecord, ProductRecord } from '@moorage/api';
import { IconCpu } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { PageLink } from '../../ui/link.tsx';
import { notify } from '../../ui/notify.ts';
import { Empty, Loaded } from '../../ui/states.tsx';

/** How long one types before the service is asked, in ms. */
const typingMs = 250;
const shownLimit = 20;

interface OwnProps {
  readonly product: ProductRecord;
  readonly onDone: () => void;
}

/** Why a device cannot come to this product; undefined when it can. */
function obstacle(device: DeviceRecord, product: ProductRecord): string | undefined {
  if (device.product_id === product.id) return 'is on it already';
  return device.locked ? `locked by ${device.product}` : undefined;
}

const optionOf = (device: DeviceRecord, product: ProductRecord) => {
  const why = obstacle(device, product);
  const label = `${device.title} · ${device.uuid.slice(-6)}`;
  return { value: device.id, label: why === undefined ? label : `${label} (${why})`, disabled: why !== undefined };
};

/** What happens to the device that is chosen. */
const Meaning = ({ device, product }: { readonly device: DeviceRecord; readonly product: ProductRecord }) => (
  <Text size="sm">
    {device.title} leaves {device.product}. Its title, tag, files and log stay.{' '}
    {product.version === null
      ? `${product.title} has no published bundle yet: until it has one, the device keeps what it runs.`
      : `With its next update it gets what ${product.title} offers.`}
    {!product.claimable && ' The product is locked: the device can then not be reset or moved to another product.'}
  </Text>
);

function ActivateOwnForm({ product, onDone }: OwnProps) {
  const { user_id } = useSession();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed, typingMs);
  const [id, choose] = useState<string | null>(null);
  const query = { user_id, platform_id: product.platform_id, limit: shownLimit, ...(q !== '' && { q }) };
  const found = useCall('devices.list', { query }, { keepPrevious: true });
  const activate = useChange('devices.activate', 'devices', 'products', 'bundles', 'deviceUpdates');
  const devices = found.data?.value ?? [];
  const chosen = devices.find((device) => device.id === id);
  const submit = async (): Promise<void> => {
    if (!chosen) return;
    await activate.mutateAsync({ params: { device_id: chosen.id }, body: { product_id: product.id } });
    notify(`${chosen.title} is activated to ${product.product}`);
    onDone();
  };
  return (
    <Loaded query={found} label="Looking for your devices">
      {({ value }) =>
        value.length === 0 && q === '' ? (
          <Empty
            title={`You have no device of platform ${product.platform}`}
            action={<PageLink href="/devices">To the devices</PageLink>}
          >
            Claim one from its command line with &quot;dms claim&quot;, or provision a software device.
          </Empty>
        ) : (
          <Form submit="Activate the device" onSubmit={submit} disabled={!chosen}>
            <Select
              label="Device"
              description={`Your devices of platform ${product.platform}; type part of a title, uuid or MAC address`}
              placeholder="Choose a device"
              data-autofocus
              searchable
              nothingFoundMessage="No device of yours has this in it"
              data={devices.map((device) => optionOf(device, product))}
              // The service has searched already, by more than the label.
              filter={({ options }) => options}
              onSearchChange={(text) => setTyped(text.includes(' · ') ? '' : text)}
              value={id}
              onChange={choose}
            />
            {chosen && <Meaning device={chosen} product={product} />}
          </Form>
        )
      }
    </Loaded>
  );
}

/** Activates one of the viewer's own devices to a product, as owners of devices do from the store. */
export function ActivateOwn({ product }: { readonly product: ProductRecord }) {
  const [opened, { open, close }] = useDisclosure();
  const takesDevices = product.state === 'published' || (product.state === 'preview' && product.role !== 'none');
  if (!takesDevices) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconCpu size={16} aria-hidden />} onClick={open}>
        Activate a device
      </Button>
      <Dialog title={`Activate a device to ${product.title}`} opened={opened} onClose={close}>
        <ActivateOwnForm product={product} onDone={close} />
      </Dialog>
    </>
  );
}
