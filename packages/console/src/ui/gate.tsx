import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface GateProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of what comes before the console: a card in the middle. */
export function Gate({ title, description, children }: GateProps) {
  useDocumentTitle(`${title} · Moorage`);
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420} shadow="sm">
        <Stack gap="md">
          <Group gap="sm">
            <img src="/icon.svg" width={36} height={36} alt="" />
            <Text fw={700} size="lg">
              Moorage
            </Text>
          </Group>
          <Title order={1} size="h3">
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" component="div">
              {description}
            </Text>
          )}
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
