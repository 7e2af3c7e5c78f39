import { useEffect, useState } from 'react';
import type { RouterOptions } from 'wouter';
import { t } from '../texts/ui.ts';
import { confirm } from './confirm.tsx';

/** Forms of the page in which something is typed that is not saved. */
const unsaved = new Set<object>();

/** Has the console ask before the page is left, for as long as something is typed that is not saved. */
export function useUnsaved(dirty: boolean): void {
  const [form] = useState({});
  useEffect(() => {
    if (!dirty) return;
    unsaved.add(form);
    return () => void unsaved.delete(form);
  }, [dirty, form]);
}

/** Does what would lose typed text, after a question when there is some. */
export function leave(dirty: boolean, go: () => void): void {
  if (!dirty) go();
  else {
    confirm({
      title: t.leaveWithoutSaving,
      body: t.whatYouHaveTypedHere,
      action: t.leave,
      destructive: true,
      run: go,
    });
  }
}

const pathOf = (to: string | URL): string => new URL(to, window.location.href).pathname;

/** Asks before a link leads away from typed text. Another search or hash is the same page. */
export const askBeforeLeaving: NonNullable<RouterOptions['aroundNav']> = (navigate, to, options) =>
  leave(unsaved.size > 0 && pathOf(to) !== window.location.pathname, () => {
    unsaved.clear();
    navigate(to, options);
  });

/** Asks before the window is closed, and before the way back leads away from typed text. */
export function guardWindow(): void {
  window.addEventListener('beforeunload', (event) => {
    if (unsaved.size > 0) event.preventDefault();
  });
  let shown = window.location.href;
  let leaving = false;
  const note = (): void => {
    shown = window.location.href;
  };
  for (const type of ['pushState', 'replaceState']) window.addEventListener(type, note);
  // Before any part of the console hears of it.
  window.addEventListener(
    'popstate',
    (event) => {
      if (leaving || unsaved.size === 0 || pathOf(shown) === window.location.pathname) {
        leaving = false;
        note();
        return;
      }
      event.stopImmediatePropagation();
      history.pushState(history.state, '', shown);
      leave(true, () => {
        unsaved.clear();
        leaving = true;
        history.back();
      });
    },
    { capture: true },
  );
}
