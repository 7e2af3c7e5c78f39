import { createContext, type ReactNode, useCallback, useContext, useSyncExternalStore } from 'react';
import { useLocation, useSearch } from 'wouter';

interface Frame {
  /** Closes the dialogue, after a question when something is typed that is not saved. */
  readonly cancel: () => void;
  readonly setDirty: (dirty: boolean) => void;
}

export const FrameContext = createContext<Frame | undefined>(undefined);

/** The dialogue around a form; undefined for one that stands on a page. */
export const useFrame = (): Frame | undefined => useContext(FrameContext);

export interface FrameProps {
  readonly title: string;
  readonly size?: 'md' | 'lg' | 'xl';
}

export interface Opened extends FrameProps {
  readonly id: number;
  readonly opened: boolean;
  readonly body: (close: () => void) => ReactNode;
}

/** The dialogues that events have opened, before or after the place of dialogues has been loaded. */
interface DialogStack {
  /** Whether anything has needed the place of dialogues yet. */
  readonly any: boolean;
  readonly dialogs: readonly Opened[];
}

let stack: DialogStack = { any: false, dialogs: [] };
let lastId = 0;
const listeners = new Set<() => void>();

function setDialogs(next: readonly Opened[]): void {
  stack = { any: true, dialogs: next };
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useDialogs = (): DialogStack => useSyncExternalStore(subscribe, () => stack);

const changeDialog = (id: number, change: Partial<Opened>): void =>
  setDialogs(stack.dialogs.map((one) => (one.id === id ? { ...one, ...change } : one)));

export const closeDialog = (id: number): void => changeDialog(id, { opened: false });

/** Opens a dialogue from an event; `body` is handed what closes it, for when its work is done. */
export function openDialog(frame: FrameProps, body: (close: () => void) => ReactNode): void {
  lastId += 1;
  // Those that are closed have had their time to give the focus back.
  setDialogs([...stack.dialogs.filter(({ opened }) => opened), { ...frame, id: lastId, opened: true, body }]);
}

/** Opens a dialogue with a form that makes something; what it has made is shown in its place, under a title of its own. */
export function openMade<T>(
  titles: { readonly form: string; readonly made: string },
  form: (onMade: (made: T) => void) => ReactNode,
  shown: (made: T, close: () => void) => ReactNode,
): void {
  const id = lastId + 1;
  const onMade = (made: T): void => changeDialog(id, { title: titles.made, body: (close) => shown(made, close) });
  openDialog({ title: titles.form }, () => form(onMade));
}

/** What waits for the place of dialogues; undefined as soon as that is there. */
let waiting: (() => void)[] | undefined = [];

/** Does what needs the place of dialogues, which comes with the first of them. */
export function withDialogs(run: () => void): void {
  if (!waiting) {
    run();
    return;
  }
  waiting.push(run);
  setDialogs(stack.dialogs);
}

/** The place of dialogues is there, or has gone with the session. */
export function dialogsAreThere(): () => void {
  const runs = waiting ?? [];
  waiting = undefined;
  for (const run of runs) run();
  return () => {
    waiting = [];
  };
}

/** Focuses an input that comes into a dialogue after it has opened, when what it needs has been loaded. */
export const focusFirst = (input: HTMLElement | null): void => input?.focus();

/** Whether a dialogue is open, kept in the address as `?name=1`: a link can lead to it. */
export function useAddressDialog(name: string): readonly [boolean, { open: () => void; close: () => void }] {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const set = useCallback(
    (open: boolean) => {
      const query = new URLSearchParams(search);
      if (open) query.set(name, '1');
      else query.delete(name);
      navigate(query.size > 0 ? `${path}?${query}` : path, { replace: true });
    },
    [name, path, navigate, search],
  );
  return [new URLSearchParams(search).get(name) === '1', { open: () => set(true), close: () => set(false) }];
}
