import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Muted } from '../../ui/muted.tsx';

interface PartProps {
  readonly title: string;
  readonly state: string;
  readonly children: ReactNode;
}

/** One kind of factor, or one of a kind: what there is of it, and what can be done. */
export const Part = ({ title, state, children }: PartProps) => (
  <Group justify="space-between" gap="sm">
    <Stack gap={0} flex={1} miw={200}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <Muted>{state}</Muted>
    </Stack>
    <Group gap="xs">{children}</Group>
  </Group>
);
