import { Alert, Code, Group, Text } from '@mantine/core';
import { t } from '../../texts/device.ts';
import { inSentence } from '../../texts/language.ts';
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
        <Copy value={value} label={inSentence(label)} />
      </Group>
      <Text size="sm" mt={4}>
        {t.copyItNowItIs}
      </Text>
    </Alert>
  );
}
