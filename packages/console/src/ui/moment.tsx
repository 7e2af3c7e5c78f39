import { useSyncExternalStore } from 'react';
import { every, nowMs } from '../browser/time.ts';
import { formatMoment, formatRelative, msOf, t } from '../texts/format.ts';
import { useTip } from './tip.tsx';

/** How often "3 minutes ago" is looked at again, in ms. */
const renewMs = 30_000;

let end: (() => void) | undefined;
const shown = new Set<() => void>();

/** One timer for all moments of a page. */
function subscribe(renew: () => void): () => void {
  end ??= every(renewMs, () => {
    for (const each of shown) each();
  });
  shown.add(renew);
  return () => {
    shown.delete(renew);
    if (shown.size > 0) return;
    end?.();
    end = undefined;
  };
}

const turn = (): number => Math.floor(nowMs() / renewMs);

function Passed({ atMs }: { readonly atMs: number }) {
  useSyncExternalStore(subscribe, turn);
  const { target, bubble } = useTip<HTMLTimeElement>(() => formatMoment(atMs));
  return (
    <>
      <time {...target} dateTime={new Date(atMs).toISOString()}>
        {formatRelative(atMs, Math.max(nowMs(), atMs))}
      </time>
      {bubble}
    </>
  );
}

/** How long ago something was; the moment itself on pointing, focus or touch. `at` is a timestamp of a record. */
export const Moment = ({ at, none = t.never }: { readonly at: string | null; readonly none?: string }) =>
  at === null ? <span className="dimmed">{none}</span> : <Passed atMs={msOf(at)} />;

/** The cell of a column that shows a timestamp of the row. */
export const momentOf =
  <Field extends string>(field: Field) =>
  (row: Readonly<Record<Field, string | null>>) => <Moment at={row[field]} />;
