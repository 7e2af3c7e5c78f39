import { Skeleton } from '@mantine/core';
import { type ComponentProps, Suspense } from 'react';
import { lazyPart } from './lazy-part.ts';

const Chart = lazyPart(() => import('./chart.tsx'));

/** A chart of values over time; its library comes with the first one that is shown. */
export function LazyChart(props: ComponentProps<typeof Chart>) {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? 220} />}>
      <Chart {...props} />
    </Suspense>
  );
}
