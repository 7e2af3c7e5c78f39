import { Alert, Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts/ui.ts';
import { Fields } from './field.tsx';

interface ShownOnceProps {
  /** "The token". */
  readonly what: string;
  /** What its holder can do. */
  readonly advice: string;
  /** The value and what is made of it, as `Field`s. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** A secret that the service shows this once. */
export const ShownOnce = ({ what, advice, children, onClose }: ShownOnceProps) => (
  <Stack gap="sm">
    <Alert color="orange" variant="outline" title={t.isShownThisOnce(what)}>
      {advice}
    </Alert>
    <Fields stacked>{children}</Fields>
    <Group justify="flex-end">
      <Button onClick={onClose}>{t.iHaveCopiedIt}</Button>
    </Group>
  </Stack>
);
