import { Kbd, Table } from '@mantine/core';
import { routes } from '../../routes.ts';
import { t } from '../../texts/search.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { SmallTable } from '../../ui/small-table.tsx';

interface KeysProps {
  readonly isAdmin: boolean;
  readonly onClose: () => void;
}

/** The keys of the console, and where they lead. */
export default function Keys({ isAdmin, onClose }: KeysProps) {
  const rows = [
    { keys: ['/'], title: t.searchEverything },
    ...routes.flatMap(({ go, title, adminOnly }) =>
      go === undefined || (adminOnly && !isAdmin) ? [] : [{ keys: ['g', go], title }],
    ),
    { keys: ['?'], title: t.showKeys },
  ];
  return (
    <Dialog title={t.keys} opened onClose={onClose}>
      <SmallTable label={t.keys} columns={[t.key, t.leadsTo]}>
        {rows.map(({ keys, title }) => (
          <Table.Tr key={title}>
            <Table.Td>
              {keys.map((key) => (
                <Kbd key={key} mr={4}>
                  {key}
                </Kbd>
              ))}
            </Table.Td>
            <Table.Td>{title}</Table.Td>
          </Table.Tr>
        ))}
      </SmallTable>
    </Dialog>
  );
}
