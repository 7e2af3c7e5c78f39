import { Stack, Switch } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { useChange } from '../../api/queries.ts';
import { useInit } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { formatCount, plural } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
import { stateName } from '../../texts/states.ts';
import { Card } from '../../ui/card.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Versions } from '../../ui/product-versions.tsx';
import { Term } from '../../ui/term.tsx';
import { Description } from './description.tsx';
import type { TabProps } from './tab-props.ts';
import { TextsForm } from './texts-form.tsx';

function Claimable({ product }: Pick<TabProps, 'product'>) {
  const update = useChange('products.update', 'products', 'devices');
  const { id, code, claimable, title, device_count } = product;
  const change = (): void =>
    confirm({
      title: claimable ? t.lockDevicesOf(title) : t.letDevicesOfBeClaimed(title),
      body: claimable
        ? t.nobodyCanClaimResetOr(formatCount(device_count))
        : t.whoeverHasOneOfIts(formatCount(device_count)),
      action: claimable ? t.lock : t.makeClaimable,
      run: () => update.mutateAsync({ params: { product_id: id }, body: { code, claimable: !claimable } }),
      done: claimable ? t.devicesAreLocked : t.devicesCanBeClaimed,
    });
  return (
    <Switch
      label={t.devicesCanBeClaimedAnd}
      description={t.withoutItDevicesAreLocked}
      checked={claimable}
      disabled={update.isPending}
      onChange={change}
    />
  );
}

/** The short code of an edition, explained by its title. */
function Edition({ product: { flavor, flavor_id } }: { readonly product: ProductRecord }) {
  const { init } = useInit();
  const found = init?.flavors.find(({ id }) => id === flavor_id);
  return <Term word={flavor ?? ''} meaning={found?.title ? t.edition(found.title) : undefined} />;
}

const Facts = ({ product }: { readonly product: ProductRecord }) => (
  <Fields>
    <Field label={common.owner}>{product.customer ?? product.user ?? '—'}</Field>
    <Field label={t.yourRole}>{stateName(product.role)}</Field>
    <Field label={common.platform}>
      <PageLink href={`/platforms/${product.platform_id}`}>{product.platform}</PageLink>
    </Field>
    <Field label={common.edition}>{product.flavor === null ? '—' : <Edition product={product} />}</Field>
    <Field label={common.firmware}>
      {product.firmware ? `${product.firmware} ${product.firmware_version ?? ''}` : '—'}
    </Field>
    <Field label={common.version}>
      <Versions product={product} none={t.nothingPublishedYet} />
    </Field>
    <Field label={common.devices}>
      <PageLink href={`/products/${product.id}/devices`}>{plural(product.device_count, nouns.device)}</PageLink>
    </Field>
    <Field label={common.bundles}>
      <PageLink href={`/products/${product.id}/bundles`}>{plural(product.bundle_count, nouns.bundle)}</PageLink>
    </Field>
    {product.part_number !== null && <Field label={common.partNumber} value={product.part_number} mono />}
    <Field label={t.claiming}>{product.claimable ? t.itsDevicesCanBeClaimed : t.itsDevicesAreLocked}</Field>
    <Field label={common.made}>
      <Moment at={product.created_at} />
    </Field>
    <Field label={common.changed}>
      <Moment at={product.updated_at} />
    </Field>
    <Field label={common.id} value={product.id} mono />
  </Fields>
);

/** What the product is, and the texts that describe it. */
export default function Overview({ product, mayChange, mayAdminister }: TabProps) {
  return (
    <Stack gap="md">
      <Card title={common.product}>
        <Stack gap="md">
          <Facts product={product} />
          {mayAdminister && <Claimable product={product} />}
        </Stack>
      </Card>
      {mayChange ? (
        <TextsForm key={product.id} product={product} />
      ) : (
        <Card title={common.description}>
          <Description product={product} />
        </Card>
      )}
    </Stack>
  );
}
