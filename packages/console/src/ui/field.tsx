import { Box, Code, Group, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { inSentence } from '../texts/language.ts';
import { Copy } from './copy.tsx';

interface FieldProps {
  readonly label: string;
  /** What is shown; without it `value` itself. */
  readonly children?: ReactNode;
  /** What can be copied. */
  readonly value?: string | null;
  /** Shown as an id: every character counts. */
  readonly mono?: boolean;
}

/** One field of a record: its name, its value whole, and a button that copies it. */
export function Field({ label, children, value, mono = false }: FieldProps) {
  const shown = children ?? (value === null || value === undefined || value === '' ? '—' : value);
  return (
    <Box component="div" miw={0}>
      <Text component="dt" size="xs" c="dimmed">
        {label}
      </Text>
      <Group component="dd" gap={4} wrap="nowrap" m={0} align="center">
        <Box miw={0} fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {mono && typeof shown === 'string' && shown !== '—' ? <Code>{shown}</Code> : shown}
        </Box>
        {value && <Copy value={value} label={inSentence(label)} />}
      </Group>
    </Box>
  );
}

interface FieldsProps {
  /** One below the other, as in a dialogue. */
  readonly stacked?: boolean;
  readonly children: ReactNode;
}

/** The fields of a record, side by side as far as there is room. Every `Field` stands in one of these. */
export function Fields({ stacked = false, children }: FieldsProps) {
  const cols = stacked ? 1 : { base: 1, xs: 2, md: 3 };
  return (
    <SimpleGrid component="dl" cols={cols} spacing="md" verticalSpacing="sm" m={0}>
      {children}
    </SimpleGrid>
  );
}
