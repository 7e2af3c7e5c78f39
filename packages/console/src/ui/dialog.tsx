import { Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { common } from '../texts/common.ts';
import { FrameContext, type FrameProps } from './dialogs.ts';
import { leave, useUnsaved } from './unsaved.ts';

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
