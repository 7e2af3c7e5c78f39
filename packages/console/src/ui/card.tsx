import { Group, Paper, Title } from '@mantine/core';
import { createContext, type ReactNode, useContext, useId } from 'react';

const InCard = createContext(false);

/** Whether this stands in a card: what would be one itself elsewhere needs no second edge there. */
export const useInCard = (): boolean => useContext(InCard);

interface CardProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** As high as its neighbours in a row. */
  readonly fill?: boolean;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Card({ title, actions, fill = false, children }: CardProps) {
  const id = useId();
  return (
    <Paper
      component="section"
      withBorder
      p={{ base: 'sm', xs: 'md' }}
      aria-labelledby={id}
      miw={0}
      {...(fill && { h: '100%' })}
    >
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      <InCard value={true}>{children}</InCard>
    </Paper>
  );
}
