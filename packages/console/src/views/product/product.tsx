import { Alert, Group } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { IconTrash } from '@tabler/icons-react';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Copy } from '../../ui/copy.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Page } from '../../ui/page.tsx';
import { PageTabs, sectionAt } from '../../ui/page-tabs.tsx';
import { Empty } from '../../ui/states.tsx';
import type { ViewProps } from '../view-props.ts';
import { ActivateOwn } from './activate-own.tsx';
import { mayAdminister, mayChange, mayOperate, mayReadAssets } from './product-actions.ts';
import { ProductMenu } from './product-menu.tsx';
import { productTabs, sections } from './tabs.ts';
import { useUnheard } from './unheard.ts';

const crumbs = [{ title: common.products, href: '/products' }];

function ProductPage({ product, tab }: { readonly product: ProductRecord; readonly tab: string }) {
  const admin = useIsAdmin();
  useUnheard(product);
  const isOne = {
    changers: mayChange(product, { admin }),
    operators: mayOperate(product, { admin }),
    insiders: mayReadAssets(product, { admin }),
  };
  const rights = { mayChange: isOne.changers, mayAdminister: mayAdminister(product, { admin }) };
  const offered = sections.filter(({ only }) => only === undefined || isOne[only]);
  const shown = sectionAt(offered, tab);
  return (
    <Page
      title={product.title}
      mark={
        <Group gap={6} role="status" aria-label={t.stateOfProduct}>
          <StateBadge state={product.state} />
          {product.production && <StateBadge state="production" />}
        </Group>
      }
      description={
        <Group gap={4} wrap="nowrap">
          <span style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{product.product}</span>
          <Copy value={product.product} label={t.productCode} />
        </Group>
      }
      crumbs={crumbs}
      actions={
        <>
          <ActivateOwn product={product} />
          <ProductMenu product={product} />
        </>
      }
    >
      {product.state === 'trash' && (
        <Alert color="orange" variant="outline" icon={<IconTrash aria-hidden />} title={t.thisProductIsInTrash}>
          {t.trashMeaning(mayAdminister(product, { admin }) ? t.orDeletesItForGood : '')}
        </Alert>
      )}
      {shown ? (
        <PageTabs
          label={t.partsOfProduct}
          groups={productTabs}
          offered={offered}
          shown={shown}
          base={`/products/${product.id}`}
        >
          {(View) => <View product={product} {...rights} />}
        </PageTabs>
      ) : (
        <Empty
          title={t.thereIsNoSuchPart}
          action={<PageLink href={`/products/${product.id}`}>{t.toOverview}</PageLink>}
        />
      )}
    </Page>
  );
}

/** One product: its texts, its bundles, and all that belongs to it. */
export default function Product({ params: { id = '', tab = 'overview' } }: ViewProps) {
  const query = useCall('products.get', { params: { product_id: id } });
  return (
    <LoadedPage query={query} noun={nouns.product} crumbs={crumbs}>
      {({ value: product }) => <ProductPage product={product} tab={tab} />}
    </LoadedPage>
  );
}
