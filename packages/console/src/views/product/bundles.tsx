import { Button, Stack, Text } from '@mantine/core';
import type { BundleRecord } from '@moorage/api';
import { IconPlus } from '@tabler/icons-react';
import { useCall } from '../../api/queries.ts';
import { Card } from '../../ui/card.tsx';
import { useAddressDialog } from '../../ui/dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { Loaded } from '../../ui/states.tsx';
import { AdoptionChart } from './adoption-chart.tsx';
import { Board } from './board.tsx';
import { CreateBundle } from './create-bundle.tsx';
import type { TabProps } from './tab-props.ts';

/** Bundles that the board holds; the service gives no more at once. */
const shownLimit = 500;

interface ShownProps extends TabProps {
  readonly bundles: readonly BundleRecord[];
  readonly total: number;
}

const Shown = ({ product, mayChange, bundles, total }: ShownProps) => (
  <>
    {total > bundles.length && (
      <Text size="sm" c="dimmed">
        The newest {formatCount(bundles.length)} of {formatCount(total)} bundles are shown.
      </Text>
    )}
    <Board product={product} bundles={bundles} mayChange={mayChange} />
    <Card title="Adoption">
      <AdoptionChart product={product} bundles={bundles} />
    </Card>
  </>
);

/** The bundles of a product as a board of their states, and how far each has come. */
export default function Bundles(props: TabProps) {
  const { product, mayChange } = props;
  const [opened, dialog] = useAddressDialog('new');
  const query = useCall(
    'bundles.list',
    { params: { product_id: product.id }, query: { limit: shownLimit } },
    { keepPrevious: true },
  );
  return (
    <Stack gap="md">
      {mayChange && (
        <div>
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={dialog.open}>
            Create a bundle
          </Button>
        </div>
      )}
      <CreateBundle product={product} opened={opened} onClose={dialog.close} />
      <Loaded query={query} label="Loading the bundles">
        {({ value: bundles, total }) => <Shown {...props} bundles={bundles} total={total ?? bundles.length} />}
      </Loaded>
    </Stack>
  );
}
