import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { BundleDetail, ProductRecord } from '@moorage/api';
import { IconRocket, IconTag } from '@tabler/icons-react';
import { Link, useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { t } from '../../texts/bundles.ts';
import { common } from '../../texts/common.ts';
import { formatCount } from '../../texts/format.ts';
import { nouns } from '../../texts/nouns.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Fields } from '../../ui/field.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Page } from '../../ui/page.tsx';
import { useAskedFor } from '../../ui/use-asked-for.ts';
import type { ViewProps } from '../view-props.ts';
import { AdoptionChart } from './adoption-chart.tsx';
import { movesOf } from './bundle-actions.ts';
import { BundleFiles } from './bundle-files.tsx';
import { askMove } from './bundle-menu.tsx';
import { mayChange } from './product-actions.ts';
import { TagDialog } from './tag-dialog.tsx';
import { useUnheard } from './unheard.ts';

interface PartProps {
  readonly bundle: BundleDetail;
  readonly product: ProductRecord;
}

/** Publish, tag, archive and delete: what the bundle's state allows. */
function Actions({ bundle, product }: PartProps) {
  const [tagging, tagDialog] = useDisclosure();
  useAskedFor('tag', tagDialog.open);
  const [, navigate] = useLocation();
  return (
    <>
      {movesOf(bundle).map((move) => (
        <Button
          key={move.to}
          variant={bundle.state === 'preview' && move.to === 'published' ? 'filled' : 'default'}
          onClick={() => askMove(bundle, move, () => navigate(`/products/${product.id}/bundles`))}
        >
          {move.label}
        </Button>
      ))}
      {bundle.state === 'published' && (
        <Button
          component={Link}
          href={`/rollouts/new?product=${product.id}&bundle=${bundle.id}`}
          leftSection={<IconRocket size={16} aria-hidden />}
        >
          {t.rollOut}
        </Button>
      )}
      {bundle.state === 'published' && (
        <Button variant="default" leftSection={<IconTag size={16} aria-hidden />} onClick={tagDialog.open}>
          {bundle.tag === null ? common.tag : t.changeTag}
        </Button>
      )}
      <TagDialog bundle={bundle} product={product} opened={tagging} onClose={tagDialog.close} />
    </>
  );
}

const Facts = ({ bundle }: { readonly bundle: BundleDetail }) => (
  <Fields>
    <Field label={t.versionTextOfModule} value={bundle.bversion} mono />
    <Field label={common.product}>
      <PageLink href={`/products/${bundle.product_id}`}>{bundle.product}</PageLink>
    </Field>
    <Field label={common.firmware}>{bundle.firmware}</Field>
    <Field label={common.platform}>
      <PageLink href={`/platforms/${bundle.platform_id}`}>{bundle.platform}</PageLink>
    </Field>
    <Field label={common.made}>
      <Moment at={bundle.created_at} />
    </Field>
    <Field label={t.devicesThatWereOfferedIt}>
      <PageLink href={`/products/${bundle.product_id}/devices?bundle_id=${bundle.id}`}>
        {formatCount(bundle.device_count)}
      </PageLink>
    </Field>
    <Field label={t.devicesThatRunIt}>{formatCount(bundle.device_count_bundle_ok)}</Field>
    {bundle.part_number !== null && <Field label={common.partNumber} value={bundle.part_number} mono />}
    <Field label={common.id} value={bundle.id} mono />
  </Fields>
);

const crumbs = [{ title: common.products, href: '/products' }];

function BundlePage({ bundle, product }: PartProps) {
  const admin = useIsAdmin();
  const changes = mayChange(product, { admin });
  useUnheard(product);
  return (
    <Page
      title={t.bundleVersion(bundle.version)}
      mark={
        <Group gap={6} role="status" aria-label={t.stateOfBundle}>
          <StateBadge state={bundle.state} />
          {bundle.tag && <StateBadge state={bundle.tag} />}
        </Group>
      }
      crumbs={[
        ...crumbs,
        { title: product.title, href: `/products/${product.id}` },
        { title: common.bundles, href: `/products/${product.id}/bundles` },
      ]}
      actions={changes && <Actions bundle={bundle} product={product} />}
    >
      <Stack gap="md">
        <Card title={common.bundle}>
          <Facts bundle={bundle} />
        </Card>
        <Card title={common.files}>
          <BundleFiles bundle={bundle} mayChange={changes} />
        </Card>
        {bundle.state !== 'preview' && (
          <Card title={t.adoption}>
            <AdoptionChart productId={product.id} bundles={[bundle]} version={bundle.version} />
          </Card>
        )}
      </Stack>
    </Page>
  );
}

/** One bundle of a product: its files, its state and tag, and the devices that have it. */
export default function Bundle({ params: { id = '' } }: ViewProps) {
  const query = useCall('bundles.get', { params: { bundle_id: id } });
  const productId = query.data?.value.product_id ?? '';
  const product = useCall('products.get', { params: { product_id: productId } }, { enabled: productId !== '' });
  return (
    <LoadedPage query={query} noun={nouns.bundle} crumbs={crumbs}>
      {({ value: bundle }) => (
        <LoadedPage query={product} noun={nouns.product} crumbs={crumbs}>
          {({ value }) => <BundlePage bundle={bundle} product={value} />}
        </LoadedPage>
      )}
    </LoadedPage>
  );
}
