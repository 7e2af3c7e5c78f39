import { type PointerEvent, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';
import { after } from '../browser/time.ts';
import { lazyPart } from './lazy-part.ts';

/** What places it is loaded with the first one that is seen. */
const Bubble = lazyPart(() => import('./bubble.tsx'));

interface Tip<E extends HTMLElement> {
  /** For the element that is explained. */
  readonly target: {
    readonly ref: RefObject<E | null>;
    readonly onPointerEnter: () => void;
    readonly onPointerLeave: (event: PointerEvent) => void;
    readonly onFocus: () => void;
    readonly onBlur: () => void;
  };
  /** Stands beside it. */
  readonly bubble: ReactNode;
}

/** A finger that is lifted leaves at once; what it has asked for stays to be read, in ms. */
const touchMs = 3_000;

/**
 * A bubble that explains an element while it is pointed at or has the focus. Of those in a long list only the one that
 * is seen exists: a hundred of the library's own cost more than all the rest of the list.
 */
export function useTip<E extends HTMLElement>(label: string | (() => string)): Tip<E> {
  const ref = useRef<E>(null);
  const [shown, setShown] = useState(false);
  const show = (): void => setShown(true);
  const hide = (): void => setShown(false);
  const leave = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'touch') after(touchMs, hide);
    else hide();
  };
  return {
    target: { ref, onPointerEnter: show, onPointerLeave: leave, onFocus: show, onBlur: hide },
    bubble: shown && (
      <Suspense>
        <Bubble label={typeof label === 'string' ? label : label()} target={ref as RefObject<HTMLElement | null>} />
      </Suspense>
    ),
  };
}
