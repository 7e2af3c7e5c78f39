import { Group, Paper, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface CardProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Card({ title, actions, children }: CardProps) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id} miw={0}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
