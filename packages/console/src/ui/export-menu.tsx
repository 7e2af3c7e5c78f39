import { Button, Menu } from '@mantine/core';
import { type ExportFormat, exportFormats } from '@moorage/api';
import { IconDownload } from '@tabler/icons-react';
import { t } from '../texts/lists.ts';

/** The address of a whole list as a file, from that of one of its pages: filters and order stay. */
export function fileAddress(address: string, format: ExportFormat): string {
  const [path, query] = address.split('?');
  const parameters = new URLSearchParams(query);
  for (const name of ['limit', 'offset']) parameters.delete(name);
  parameters.set('format', format);
  return `${path}?${parameters}`;
}

/** Saves the whole list that a table shows a page of. */
export const ExportMenu = ({ address }: { readonly address: string }) => (
  <Menu position="top-end" withinPortal withInitialFocusPlaceholder={false}>
    <Menu.Target>
      <Button variant="default" size="xs" leftSection={<IconDownload size={14} aria-hidden />}>
        {t.export}
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {exportFormats.map((format) => (
        <Menu.Item key={format} component="a" href={fileAddress(address, format)} download>
          {t[format]}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
