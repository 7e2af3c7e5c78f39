import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';

interface DialogProps {
  readonly title: string;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly size?: 'md' | 'lg' | 'xl';
  readonly children: ReactNode;
}

/** A dialogue that belongs to a page: unlike those that ask, it may use all that the page may. */
export function Dialog({ title, opened, onClose, size = 'md', children }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // What has been typed is not lost to a slip of the pointer.
      closeOnClickOutside={false}
    >
      {children}
    </Modal>
  );
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
