import { Alert, Group, Tabs } from '@mantine/core';
import type { ProductRecord } from '@moorage/api';
import { IconTrash } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useLocation } from 'wouter';
import { useCall } from '../../api/queries.ts';
import { useIsAdmin } from '../../api/session.tsx';
import { common } from '../../texts/common.ts';
import { nouns } from '../../texts/nouns.ts';
import { t } from '../../texts/product.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Copy } from '../../ui/copy.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { PageLink } from '../../ui/link.tsx';
import { LoadedPage } from '../../ui/loaded-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loading } from '../../ui/states.tsx';
import { TabList } from '../../ui/tab-list.tsx';
import type { ViewProps } from '../view-props.ts';
import { ActivateOwn } from './activate-own.tsx';
import { mayAdminister, mayChange, mayOperate, mayReadAssets } from './product-actions.ts';
import { ProductMenu } from './product-menu.tsx';
import { type ProductTab, tabs } from './tabs.ts';
import { useUnheard } from './unheard.ts';

interface ProductTabsProps {
  readonly product: ProductRecord;
  readonly offered: readonly ProductTab[];
  readonly shown: string;
}

const tabAddress = (productId: string, key: string): string =>
  key === 'overview' ? `/products/${productId}` : `/products/${productId}/${key}`;

function ProductTabs({ product, offered, shown }: ProductTabsProps) {
  const [, navigate] = useLocation();
  const admin = useIsAdmin();
  const rights = { mayChange: mayChange(product, { admin }), mayAdminister: mayAdminister(product, { admin }) };
  return (
    // Tabs are opened by Enter, not by walking over them: each asks the service for something.
    <Tabs
      value={shown}
      onChange={(key) => key !== null && navigate(tabAddress(product.id, key))}
      keepMounted={false}
      activateTabWithKeyboard={false}
    >
      <TabList label={t.partsOfProduct} shown={shown}>
        {offered.map(({ key, title, icon: Icon }) => (
          <Tabs.Tab key={key} value={key} px="sm" leftSection={<Icon size={16} aria-hidden />}>
            {title}
          </Tabs.Tab>
        ))}
      </TabList>
      {offered.map(({ key, title, view: View }) => (
        <Tabs.Panel key={key} value={key} pt="md" aria-label={title}>
          <ErrorBoundary>
            <Suspense fallback={<Loading />}>
              <View product={product} {...rights} />
            </Suspense>
          </ErrorBoundary>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

const crumbs = [{ title: common.products, href: '/products' }];

function ProductPage({ product, tab }: { readonly product: ProductRecord; readonly tab: string }) {
  const admin = useIsAdmin();
  useUnheard(product);
  const isOne = {
    changers: mayChange(product, { admin }),
    operators: mayOperate(product, { admin }),
    insiders: mayReadAssets(product, { admin }),
  };
  const offered = tabs.filter(({ only }) => only === undefined || isOne[only]);
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
      {offered.some(({ key }) => key === tab) ? (
        <ProductTabs product={product} offered={offered} shown={tab} />
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
