import { Stack, Switch, Text, Title } from '@mantine/core';
import type { ProductDoors } from '@moorage/api';
import { useCall, useChange } from '../../api/queries.ts';
import { t } from '../../texts/doors.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { DoorTokens } from './door-tokens.tsx';
import type { TabProps } from './tab-props.ts';

const switches: readonly { readonly name: keyof ProductDoors; readonly label: string }[] = [
  { name: 'ddi', label: t.ddi },
  { name: 'mender', label: t.mender },
  { name: 'waiting', label: t.strangersWait },
];

/** The update clients of other makers that a product is open to, their tokens, and the devices that wait. */
export default function Doors({ product }: TabProps) {
  const params = { product_id: product.id };
  const { data } = useCall('doors.get', { params });
  const set = useChange('doors.set', 'doors');
  const doors = data?.value;
  const change = async (name: keyof ProductDoors, isOpen: boolean): Promise<void> => {
    if (!doors) return;
    await set.mutateAsync({ params, body: { ...doors, [name]: isOpen } });
    notify(t.saved);
  };
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        <Text size="sm" c="dimmed" maw={560}>
          {t.whatDoorsAre}
        </Text>
        {switches.map(({ name, label }) => (
          <Switch
            key={name}
            label={label}
            checked={doors?.[name] ?? false}
            disabled={!doors || set.isPending}
            onChange={(event) => void change(name, event.currentTarget.checked).catch(notifyError)}
          />
        ))}
      </Stack>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t.tokens}
        </Title>
        <DoorTokens productId={product.id} />
      </Stack>
    </Stack>
  );
}
