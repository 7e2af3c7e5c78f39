import { Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { t } from '../texts/format.ts';
import { formatMoment, formatRelative, msOf } from './format.ts';
import { nowMs } from './time.ts';
import { useTip } from './tip.tsx';

/** How often "3 minutes ago" is looked at again, in ms. */
const renewMs = 30_000;

/** How long ago something was; the moment itself on pointing, focus or touch. `at` is a timestamp of a record. */
export function Moment({ at, none = t.never }: { readonly at: string | null; readonly none?: string }) {
  const [now, setNow] = useState(nowMs);
  useInterval(() => setNow(nowMs()), renewMs, { autoInvoke: true });
  const ms = at === null ? 0 : msOf(at);
  const { target, bubble } = useTip<HTMLTimeElement>(formatMoment(ms));
  if (at === null)
    return (
      <Text span inherit c="dimmed">
        {none}
      </Text>
    );
  return (
    <>
      <time {...target} dateTime={new Date(ms).toISOString()}>
        {formatRelative(ms, Math.max(now, ms))}
      </time>
      {bubble}
    </>
  );
}
