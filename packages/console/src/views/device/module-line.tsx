import { Code, Group } from '@mantine/core';
import { t } from '../../texts/device.ts';
import { Copy } from '../../ui/copy.tsx';

/** A command to be typed at the module, with a button that copies it. */
export function ModuleLine({ line }: { readonly line: string }) {
  return (
    <Group display="inline-flex" gap={4} wrap="nowrap" mt={4} maw="100%">
      <Code miw={0} style={{ overflowWrap: 'anywhere' }}>
        {line}
      </Code>
      <Copy value={line} label={t.command(line)} />
    </Group>
  );
}
