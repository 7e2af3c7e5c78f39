import { Stack, Switch } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useChange } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { formatCount, plural } from '../../ui/format.ts';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { notify } from '../../ui/notify.ts';
import { Description } from './description.tsx';
import type { TabProps } from './tab-props.ts';
import { TextsForm } from './texts-form.tsx';

function Claimable({ product }: Pick<TabProps, 'product'>) {
  const update = useChange('products.update', 'products', 'devices');
  const { id, code, claimable, title, device_count } = product;
  const change = (): void =>
    confirm({
      title: claimable ? `Lock the devices of "${title}"?` : `Let the devices of "${title}" be claimed?`,
      body: claimable
        ? `Nobody can claim, reset or activate to another product any of its ${formatCount(device_count)} devices; their owners can take them off the product.`
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
      description="Without it the devices are locked: nobody can claim or reset them; their owners can take them off the product."
      checked={claimable}
      disabled={update.isPending}
      onChange={change}
    />
  );
}

const Facts = ({ product }: { readonly product: ProductRecord }) => (
  <Fields>
    <Field label="Owner">{product.customer ?? product.user ?? '—'}</Field>
    <Field label="Your role">{product.role}</Field>
    <Field label="Platform">
      <PageLink href={`/platforms/${product.platform_id}`}>{product.platform}</PageLink>
    </Field>
    <Field label="Edition">{product.flavor ?? '—'}</Field>
    <Field label="Firmware">{product.firmware ? `${product.firmware} ${product.firmware_version ?? ''}` : '—'}</Field>
    <Field label="Version">{product.version ?? 'nothing published yet'}</Field>
    <Field label="Devices">
      <PageLink href={`/products/${product.id}/devices`}>{plural(product.device_count, 'device')}</PageLink>
    </Field>
    <Field label="Bundles">
      <PageLink href={`/products/${product.id}/bundles`}>{plural(product.bundle_count, 'bundle')}</PageLink>
    </Field>
    {product.part_number !== null && <Field label="Part number" value={product.part_number} mono />}
    <Field label="Claiming">
      {product.claimable ? 'its devices can be claimed and reset' : 'its devices are locked'}
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
          {mayAdminister && <Claimable product={product} />}
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
