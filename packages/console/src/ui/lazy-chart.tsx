import { Skeleton } from '@mantine/core';
import { type ComponentProps, Suspense } from 'react';
import { lazyPart } from './lazy-part.ts';
import { WhenSeen } from './when-seen.tsx';

const Chart = lazyPart(() => import('./chart.tsx'));

/** A chart of values over time; its library comes with the first one that is seen. */
export function LazyChart(props: ComponentProps<typeof Chart>) {
  const { height = 220 } = props;
  return (
    <WhenSeen height={height}>
      <Suspense fallback={<Skeleton height={height} />}>
        <Chart {...props} />
      </Suspense>
    </WhenSeen>
  );
}
