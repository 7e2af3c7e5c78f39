import { NumberInput, Stack, Switch, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ProductDoors } from '@moorage/api';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { t } from '../../texts/doors.ts';
import { Form } from '../../ui/form.tsx';
import { Muted } from '../../ui/muted.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { DoorTokens } from './door-tokens.tsx';
import type { TabProps } from './tab-props.ts';

type Flag = 'ddi' | 'mender' | 'waiting' | 'consent';

const switches: readonly { readonly name: Flag; readonly label: string }[] = [
  { name: 'ddi', label: t.ddi },
  { name: 'mender', label: t.mender },
  { name: 'waiting', label: t.strangersWait },
  { name: 'consent', label: t.asksConsent },
];

/** Changes some of the settings. Each change begins with what the one before has left, however soon it comes. */
const useSetDoors = (productId: string) =>
  useMutation({
    scope: { id: `doors ${productId}` },
    mutationFn: async (change: Partial<ProductDoors>) => {
      const params = { product_id: productId };
      const { value } = await call('doors.get', { params });
      await call('doors.set', { params, body: { ...value, ...change } });
    },
    onSuccess: () => void renew('doors'),
  });

/** What proves that a device runs what its client has reported before the restart. */
function Probation({ productId, doors }: { readonly productId: string; readonly doors: ProductDoors }) {
  const set = useSetDoors(productId);
  const form = useForm({
    initialValues: {
      version_attribute: doors.version_attribute ?? '',
      probation_s: (doors.probation_s ?? '') as number | string,
    },
  });
  const save = async (): Promise<void> => {
    const { version_attribute, probation_s } = form.values;
    await set.mutateAsync({
      version_attribute: version_attribute.trim() || null,
      probation_s: probation_s === '' ? null : Number(probation_s),
    });
    form.resetDirty();
    notify(t.saved);
  };
  return (
    <Stack maw={560}>
      <Form submit={t.save} onSubmit={save} disabled={!form.isDirty()} fields={form} dirty={form.isDirty()}>
        <TextInput
          label={t.versionAttribute}
          description={t.whatVersionAttributeIs}
          maxLength={64}
          {...form.getInputProps('version_attribute')}
        />
        <NumberInput label={t.probation} min={1} max={86_400} {...form.getInputProps('probation_s')} />
      </Form>
    </Stack>
  );
}

/** The update clients of other makers that a product is open to, their tokens, and the devices that wait. */
export default function Doors({ product }: TabProps) {
  const params = { product_id: product.id };
  const { data } = useCall('doors.get', { params });
  const set = useSetDoors(product.id);
  const doors = data?.value;
  const change = async (name: Flag, isOpen: boolean): Promise<void> => {
    await set.mutateAsync({ [name]: isOpen });
    notify(t.saved);
  };
  return (
    <Stack gap="xl">
      <Stack gap="sm">
        <Muted maw={560}>{t.whatDoorsAre}</Muted>
        {switches.map(({ name, label }) => (
          <Switch
            key={name}
            label={label}
            checked={doors?.[name] ?? false}
            disabled={!doors || set.isPending}
            onChange={(event) => void change(name, event.currentTarget.checked).catch(notifyError)}
          />
        ))}
        {doors && <Probation key={doors.version_attribute} productId={product.id} doors={doors} />}
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
