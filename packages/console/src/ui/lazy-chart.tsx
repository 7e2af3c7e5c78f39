import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';

const Chart = lazy(() => import('./chart.tsx'));

/** A chart of values over time; its library comes with the first one that is shown. */
export function LazyChart(props: ComponentProps<typeof Chart>) {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? 220} />}>
      <Chart {...props} />
    </Suspense>
  );
}
