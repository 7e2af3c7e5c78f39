import { ranges } from './samples.ts';
import { sparkPath } from './spark-path.ts';
import { useSeries } from './use-series.ts';

const [range] = ranges;
const size = { width: 160, height: 44 } as const;

/** The last minutes of a stream as a small line; its value stands beside it, so it says nothing to a screen reader. */
export function Sparkline({ deviceId, name }: { readonly deviceId: string; readonly name: string }) {
  const { data = [] } = useSeries(deviceId, name, range);
  const path = sparkPath(data, size);
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} {...size} style={{ flexShrink: 0 }} aria-hidden>
      <path d={path} fill="none" stroke="var(--mantine-color-cyan-6)" strokeWidth={1.8} strokeLinejoin="round" />
    </svg>
  );
}
