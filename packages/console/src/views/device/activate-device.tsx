import { List, Select, Text } from '@mantine/core';
import type { DeviceRecord, ProductChoice } from '@moorage/api';
import { useState } from 'react';
import { useCall, useChange } from '../../api/queries.ts';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';
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
          ? t.withItsNextUpdateIt(choice.product, choice.version)
          : t.hasNoPublishedBundleYet(choice.product)}
      </List.Item>
      <List.Item>{t.itLeavesUpdateFromThere(device.product)}</List.Item>
      <List.Item>{t.itsTitleTagFilesAnd}</List.Item>
      {!choice.claimable && <List.Item>{t.isNotClaimableDeviceBecomes(choice.product)}</List.Item>}
      <List.Item>
        {t.moduleKeepsRunningWhatIt} <ModuleLine line="ota" />
      </List.Item>
    </List>
  );
}

function ChoiceForm({ device, onDone, choices }: ActivateProps & { readonly choices: readonly ProductChoice[] }) {
  const others = choices.filter(({ product_id }) => product_id !== device.product_id);
  const [productId, setProductId] = useState<string | null>(null);
  const change = useChange('devices.activate', 'devices', 'products', 'deviceUpdates');
  const choice = others.find(({ product_id }) => product_id === productId);
  if (others.length === 0) {
    return (
      <Empty title={t.thereIsNoOtherProduct}>
        {device.locked ? t.deviceIsLockedByIts(device.product) : t.deviceCanBeActivatedTo}
      </Empty>
    );
  }
  const activate = async (): Promise<void> => {
    if (!choice) return;
    await change.mutateAsync({ params: { device_id: device.id }, body: { product_id: choice.product_id } });
    notify(t.isActivatedTo(device.title, choice.product));
    onDone();
  };
  return (
    <Form submit={t.activate} onSubmit={activate} disabled={!choice}>
      <Select
        label={common.product}
        description={t.now(device.product)}
        placeholder={t.chooseProduct}
        searchable
        nothingFoundMessage={t.noProductHasThisIn}
        data={others.map(({ product_id, product, title }) => ({ value: product_id, label: `${title} (${product})` }))}
        value={productId}
        onChange={setProductId}
        data-autofocus
      />
      {choice ? <Meaning device={device} choice={choice} /> : <Text size="sm">{t.whatItMeansIsSaid}</Text>}
    </Form>
  );
}

/** Moves a device to another product, and says what that means before it happens. */
export function ActivateForm({ device, onDone }: ActivateProps) {
  const query = useCall('devices.products', { params: { id: device.id } });
  return (
    <Loaded query={query} label={t.lookingForProducts}>
      {({ value }) => <ChoiceForm device={device} onDone={onDone} choices={value} />}
    </Loaded>
  );
}
