import { Alert, Code, Group, Text } from '@mantine/core';
import { Copy } from '../../ui/copy.tsx';

interface SecretProps {
  readonly label: string;
  readonly value: string;
}

/** A secret that the service shows this once. */
export function Secret({ label, value }: SecretProps) {
  return (
    <Alert variant="outline" color="orange" title={label}>
      <Group gap={4} wrap="nowrap">
        <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
        <Copy value={value} label={label.toLowerCase()} />
      </Group>
      <Text size="sm" mt={4}>
        Copy it now: it is shown this once, and the service keeps no copy.
      </Text>
    </Alert>
  );
}
