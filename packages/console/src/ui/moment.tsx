import { useSyncExternalStore } from 'react';
import { every, nowMs } from '../browser/time.ts';
import { formatMoment, formatRelative, formatSince, msOf, t } from '../texts/format.ts';
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

interface MomentProps {
  readonly at: string | null;
  /** In the place of what never was. */
  readonly none?: string;
  /** Behind "since" or "until": the moment itself, as no language says "since 5 minutes ago". */
  readonly since?: boolean;
}

function Relative({ atMs, since }: { readonly atMs: number; readonly since: boolean }) {
  useSyncExternalStore(subscribe, turn);
  const { target, bubble } = useTip<HTMLTimeElement>(() => formatMoment(atMs));
  return (
    <>
      <time {...target} dateTime={new Date(atMs).toISOString()}>
        {since ? formatSince(atMs, nowMs()) : formatRelative(atMs, nowMs())}
      </time>
      {bubble}
    </>
  );
}

/** How long ago something was, or in how long it will be; the moment itself on pointing, focus or touch. `at` is a timestamp of a record. */
export const Moment = ({ at, none = t.never, since = false }: MomentProps) =>
  at === null ? <span className="dimmed">{none}</span> : <Relative atMs={msOf(at)} since={since} />;

/** The cell of a column that shows a timestamp of the row. */
export const momentOf =
  <Field extends string>(field: Field) =>
  (row: Readonly<Record<Field, string | null>>) => <Moment at={row[field]} />;
