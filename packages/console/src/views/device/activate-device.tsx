import { List, Select, Text } from '@mantine/core';
import type { DeviceRecord, ProductChoice } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { notify } from '../../ui/notify.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ModuleLine } from './module-line.tsx';

interface ActivateProps {
  readonly device: DeviceRecord;
  readonly onDone: () => void;
}

interface MeaningProps {
  readonly device: DeviceRecord;
  readonly choice: ProductChoice;
}

function Meaning({ device, choice }: MeaningProps) {
  return (
    <List size="sm" spacing={4}>
      <List.Item>
        {choice.version
          ? `With its next update it gets what ${choice.product} offers; the newest published version is ${choice.version}.`
          : `${choice.product} has no published bundle yet: until it has one, there is nothing to update to.`}
      </List.Item>
      <List.Item>It leaves {device.product}; an update from there that is under way no longer counts.</List.Item>
      <List.Item>Its title, tag, files and log stay, and so does its owner.</List.Item>
      {!choice.claimable && (
        <List.Item>
          {choice.product} is not claimable: the device becomes locked, and cannot be reset or activated elsewhere until
          its owner takes it off again.
        </List.Item>
      )}
      <List.Item>
        The module keeps running what it has until it is updated: <ModuleLine line="ota" />
      </List.Item>
    </List>
  );
}

function ActivateForm({ device, onDone, choices }: ActivateProps & { readonly choices: readonly ProductChoice[] }) {
  const others = choices.filter(({ product_id }) => product_id !== device.product_id);
  const [productId, setProductId] = useState<string | null>(null);
  const change = useChange('devices.activate', 'devices', 'products', 'deviceUpdates');
  const choice = others.find(({ product_id }) => product_id === productId);
  if (others.length === 0) {
    return (
      <Empty title="There is no other product for it">
        {device.locked
          ? `The device is locked by ${device.product}; its owner can take it off, under "Block or reset".`
          : 'A device can be activated to published products of its platform, and to those that its owner works on. A device that nobody owns has to be claimed first.'}
      </Empty>
    );
  }
  const activate = async (): Promise<void> => {
    if (!choice) return;
    await change.mutateAsync({ params: { device_id: device.id }, body: { product_id: choice.product_id } });
    notify(`${device.title} is activated to ${choice.product}`);
    onDone();
  };
  return (
    <Form submit="Activate" onSubmit={activate} disabled={!choice}>
      <Select
        label="Product"
        description={`Now: ${device.product}`}
        placeholder="Choose a product"
        searchable
        nothingFoundMessage="No product has this in its name"
        data={others.map(({ product_id, product, title }) => ({ value: product_id, label: `${title} (${product})` }))}
        value={productId}
        onChange={setProductId}
        data-autofocus
      />
      {choice ? <Meaning device={device} choice={choice} /> : <Text size="sm">What it means is said here.</Text>}
    </Form>
  );
}

function Choices({ device, onDone }: ActivateProps) {
  const query = useCall('devices.products', { params: { id: device.id } });
  return (
    <Loaded query={query} label="Looking for products">
      {({ value }) => <ActivateForm device={device} onDone={onDone} choices={value} />}
    </Loaded>
  );
}

interface DialogProps {
  readonly device: DeviceRecord;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Moves a device to another product, and says what that means before it happens. */
export function ActivateDevice({ device, opened, onClose }: DialogProps) {
  return (
    <Dialog title="Activate to a product" opened={opened} onClose={onClose} size="lg">
      <Choices device={device} onDone={onClose} />
    </Dialog>
  );
}
