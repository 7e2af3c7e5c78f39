import { Stack, Switch } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useChange } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { Description } from './description.tsx';
import type { TabProps } from './tabs.ts';
import { TextsForm } from './texts-form.tsx';

function Claimable({ product, mayAdminister }: Pick<TabProps, 'product' | 'mayAdminister'>) {
  const update = useChange('products.update', 'products', 'devices');
  const { id, code, claimable, title, device_count } = product;
  const change = (): void =>
    confirm({
      title: claimable ? `Lock the devices of "${title}"?` : `Let the devices of "${title}" be claimed?`,
      body: claimable
        ? `Nobody can claim, reset or activate to another product any of its ${formatCount(device_count)} devices.`
        : `Whoever has one of its ${formatCount(device_count)} devices in hand can claim it, and its owner can reset it.`,
      action: claimable ? 'Lock' : 'Make claimable',
      async run() {
        await update.mutateAsync({ params: { product_id: id }, body: { code, claimable: !claimable } });
        notify(claimable ? 'The devices are locked' : 'The devices can be claimed');
      },
    });
  return (
    <Switch
      label="Devices can be claimed and reset"
      checked={claimable}
      disabled={!mayAdminister || update.isPending}
      onChange={change}
    />
  );
}

const Facts = ({ product }: { readonly product: ProductRecord }) => (
  <Fields>
    <Field label="Code" value={product.product} mono />
    <Field label="Platform">
      <PageLink href={`/platforms/${product.platform_id}`}>{product.platform}</PageLink>
    </Field>
    <Field label="Edition" value={product.flavor} />
    <Field label="Version" value={product.version} />
    <Field label="Firmware" value={product.firmware && `${product.firmware} ${product.firmware_version ?? ''}`} />
    <Field label="Owner" value={product.customer ?? product.user} />
    <Field label="Your role">{product.role}</Field>
    <Field label="Part number" value={product.part_number} />
    <Field label="Devices">
      <PageLink href={`/products/${product.id}/devices`}>{formatCount(product.device_count)}</PageLink>
    </Field>
    <Field label="Bundles">
      <PageLink href={`/products/${product.id}/bundles`}>{formatCount(product.bundle_count)}</PageLink>
    </Field>
    <Field label="Made">
      <Moment at={product.created_at} />
    </Field>
    <Field label="Changed">
      <Moment at={product.updated_at} />
    </Field>
    <Field label="Id" value={product.id} mono />
  </Fields>
);

/** What the product is, and the texts that describe it. */
export default function Overview({ product, mayChange, mayAdminister }: TabProps) {
  return (
    <Stack gap="md">
      <Card title="Product">
        <Stack gap="md">
          <Facts product={product} />
          <Claimable product={product} mayAdminister={mayAdminister} />
        </Stack>
      </Card>
      {mayChange ? (
        <TextsForm key={product.id} product={product} />
      ) : (
        <Card title="Description">
          <Description product={product} />
        </Card>
      )}
    </Stack>
  );
}
