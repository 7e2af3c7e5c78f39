import { Button, Text } from '@mantine/core';
import type { DeviceRecord, ProductRecord } from '@moorage/api';
import { IconCpu } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/product.ts';
import { openDialog } from '../../ui/dialogs.ts';
import { Form } from '../../ui/form.tsx';
import { FoundSelect } from '../../ui/found-select.tsx';
import { PageLink } from '../../ui/link.tsx';
import { notify } from '../../ui/notify.ts';
import { Empty, Loaded } from '../../ui/states.tsx';

const shownLimit = 20;

interface OwnProps {
  readonly product: ProductRecord;
  readonly onDone: () => void;
}

/** Why a device cannot come to this product; undefined when it can. */
function obstacle(device: DeviceRecord, product: ProductRecord): string | undefined {
  if (device.product_id === product.id) return t.isOnItAlready;
  return device.locked ? t.lockedBy(device.product) : undefined;
}

const optionOf = (device: DeviceRecord, product: ProductRecord) => {
  const why = obstacle(device, product);
  const label = `${device.title} · ${device.uuid.slice(-6)}`;
  return { value: device.id, label: why === undefined ? label : `${label} (${why})`, disabled: why !== undefined };
};

/** What happens to the device that is chosen. */
const Meaning = ({ device, product }: { readonly device: DeviceRecord; readonly product: ProductRecord }) => (
  <Text size="sm">
    {t.leaves(device.title, device.product)}{' '}
    {product.version === null ? t.hasNoPublishedBundleYet(product.title) : t.withItsNextUpdateIt(product.title)}
    {!product.claimable && ` ${t.productIsLockedDeviceCan}`}
  </Text>
);

function ActivateOwnForm({ product, onDone }: OwnProps) {
  const { user_id } = useSession();
  const [q, search] = useState('');
  const [id, choose] = useState<string | null>(null);
  const query = { user_id, platform_id: product.platform_id, limit: shownLimit, ...(q !== '' && { q }) };
  const found = useCall('devices.list', { query }, { keepPrevious: true });
  const activate = useChange('devices.activate', 'devices', 'products', 'bundles', 'deviceUpdates');
  const devices = found.data?.value ?? [];
  const chosen = devices.find((device) => device.id === id);
  const submit = async (): Promise<void> => {
    if (!chosen) return;
    await activate.mutateAsync({ params: { device_id: chosen.id }, body: { product_id: product.id } });
    notify(t.isActivatedTo(chosen.title, product.product));
    onDone();
  };
  return (
    <Loaded query={found} label={t.lookingForYourDevices}>
      {({ value }) =>
        value.length === 0 && q === '' ? (
          <Empty
            title={t.youHaveNoDeviceOf(product.platform)}
            action={
              <PageLink href="/devices" onClick={onDone}>
                {t.toDevices}
              </PageLink>
            }
          >
            {t.claimOneFromItsCommand}
          </Empty>
        ) : (
          <Form submit={t.activateDevice} onSubmit={submit} disabled={!chosen}>
            <FoundSelect
              label={common.device}
              description={t.yourDevicesOfPlatformType(product.platform)}
              placeholder={t.chooseDevice}
              data-autofocus
              nothing={t.noDeviceOfYoursHas}
              options={devices.map((device) => optionOf(device, product))}
              onSearch={search}
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
  const takesDevices = product.state === 'published' || (product.state === 'preview' && product.role !== 'none');
  if (!takesDevices) return null;
  const open = () =>
    openDialog({ title: t.activateDeviceTo(product.title) }, (close) => (
      <ActivateOwnForm product={product} onDone={close} />
    ));
  return (
    <Button variant="default" leftSection={<IconCpu size={16} aria-hidden />} onClick={open}>
      {t.activateADevice}
    </Button>
  );
}
