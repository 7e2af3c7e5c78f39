import { Button, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { t } from '../../texts/bundles.ts';
import { Card } from '../../ui/card.tsx';
import { useAddressDialog } from '../../ui/dialogs.ts';
import { ErrorBox } from '../../ui/states.tsx';
import { AdoptionChart } from './adoption-chart.tsx';
import { Board, type BoardPart, type BundleState } from './board.tsx';
import { CreateBundle } from './create-bundle.tsx';
import type { TabProps } from './tab-props.ts';

/** Bundles of a column at first, and as many more with each press; the service gives no more than the last at once. */
const shownBundles = 20;
const shownLimit = 500;

/** The newest bundles of a product in a state, and what shows more of them. */
function useColumn(productId: string, state: BundleState): BoardPart & { readonly error: Error | null } {
  const [limit, setLimit] = useState(shownBundles);
  const input = { params: { product_id: productId }, query: { state, limit } };
  const { data, error } = useCall('bundles.list', input, { keepPrevious: true });
  const bundles = data?.value;
  const total = data?.total ?? bundles?.length ?? 0;
  const hasMore = bundles !== undefined && bundles.length < total && limit < shownLimit;
  return { bundles, total, error, onMore: hasMore ? () => setLimit(limit + 2 * shownBundles) : undefined };
}

/** The bundles of a product as a board of their states, and how far each has come. */
export default function Bundles({ product, mayChange }: TabProps) {
  const [opened, dialog] = useAddressDialog('new');
  const parts = {
    preview: useColumn(product.id, 'preview'),
    published: useColumn(product.id, 'published'),
    archive: useColumn(product.id, 'archive'),
  };
  const error = Object.values(parts).find((part) => part.bundles === undefined && part.error)?.error;
  const known = Object.values(parts).flatMap(({ bundles = [] }) => bundles);
  return (
    <Stack gap="md">
      {mayChange && (
        <div>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
            {t.createBundle}
          </Button>
        </div>
      )}
      <CreateBundle product={product} opened={opened} onClose={dialog.close} />
      {error ? <ErrorBox error={error} /> : <Board product={product} parts={parts} mayChange={mayChange} />}
      <Card title={t.adoption}>
        <AdoptionChart productId={product.id} bundles={known} />
      </Card>
    </Stack>
  );
}
