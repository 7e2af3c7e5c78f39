import { Modal } from '@mantine/core';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { useLocation, useSearch } from 'wouter';
import { common } from '../texts/common.ts';
import { leave, useUnsaved } from './unsaved.ts';

interface Frame {
  /** Closes the dialogue, after a question when something is typed that is not saved. */
  readonly cancel: () => void;
  readonly setDirty: (dirty: boolean) => void;
}

const FrameContext = createContext<Frame | undefined>(undefined);

/** The dialogue around a form; undefined for one that stands on a page. */
export const useFrame = (): Frame | undefined => useContext(FrameContext);

interface FrameProps {
  readonly title: string;
  readonly size?: 'md' | 'lg' | 'xl';
}

interface DialogProps extends FrameProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialogue that belongs to a page: unlike those that ask, it may use all that the page may. */
export function Dialog({ title, opened, onClose, size = 'md', children }: DialogProps) {
  const [dirty, setDirty] = useState(false);
  useUnsaved(opened && dirty);
  const cancel = (): void =>
    leave(dirty, () => {
      setDirty(false);
      onClose();
    });
  return (
    <Modal
      opened={opened}
      onClose={cancel}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': common.close }}
      // What has been typed is not lost to a slip of the pointer.
      closeOnClickOutside={false}
    >
      <FrameContext value={{ cancel, setDirty }}>{children}</FrameContext>
    </Modal>
  );
}

interface Opened extends FrameProps {
  readonly id: number;
  readonly opened: boolean;
  readonly body: (close: () => void) => ReactNode;
}

let dialogs: readonly Opened[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function setDialogs(next: readonly Opened[]): void {
  dialogs = next;
  for (const listener of listeners) listener();
}

const close = (id: number): void => setDialogs(dialogs.map((one) => (one.id === id ? { ...one, opened: false } : one)));

/** Opens a dialogue from an event; `body` is handed what closes it, for when its work is done. */
export function openDialog(frame: FrameProps, body: (close: () => void) => ReactNode): void {
  lastId += 1;
  // Those that are closed have had their time to give the focus back.
  setDialogs([...dialogs.filter(({ opened }) => opened), { ...frame, id: lastId, opened: true, body }]);
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function OpenedDialog({ dialog: { id, body, opened, ...frame } }: { readonly dialog: Opened }) {
  // Opened after it is there: only then it gives the focus back to what had it.
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <Dialog {...frame} opened={ready && opened} onClose={() => close(id)}>
      {body(() => close(id))}
    </Dialog>
  );
}

/** The place of the dialogues that events have opened. */
export function Dialogs() {
  const shown = useSyncExternalStore(subscribe, () => dialogs);
  return shown.map((dialog) => <OpenedDialog key={dialog.id} dialog={dialog} />);
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
