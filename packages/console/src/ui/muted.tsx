import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface MutedProps {
  readonly small?: boolean;
  /** Widest, in pixels. */
  readonly maw?: number;
  readonly children: ReactNode;
}

/** Text of less weight: what explains, or what stands below something else. */
export const Muted = ({ small = false, children, ...style }: MutedProps) => (
  <Text size={small ? 'xs' : 'sm'} c="dimmed" {...style}>
    {children}
  </Text>
);
