import { Menu } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { signOut, useSession } from '../../api/session.tsx';
import { t } from '../../texts/shell.ts';
import { notifyError } from '../../ui/notify.ts';

/** What the picture of the user leads to; it is loaded when it is first opened, and opens at once. */
export default function AccountMenu({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  return (
    <Menu position="bottom-end" withinPortal defaultOpened>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label c="dimmed">{session.username}</Menu.Label>
        <Menu.Item component={Link} href="/account" leftSection={<IconUser size={16} aria-hidden />}>
          {t.account}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut().catch(notifyError)}>
          {t.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
