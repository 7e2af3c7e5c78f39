import {
  ActionIcon,
  Alert,
  AppShell,
  Avatar,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLogout, IconMoon, IconPlugConnectedX, IconSun, IconUser } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf } from './api/client.ts';
import { useConnection } from './api/live.tsx';
import { useCall } from './api/queries.ts';
import { signOut, useIsAdmin, useSession } from './api/session.tsx';
import { routes } from './routes.ts';
import { notifyError } from './ui/notify.ts';

const isHere = (path: string, location: string): boolean =>
  path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`);

const withoutBlanks = (path: string): string => path.replace(/\/:.*$/, '');

function Navigation({ onFollow }: { readonly onFollow: () => void }) {
  const [location] = useLocation();
  const isAdmin = useIsAdmin();
  return routes
    .filter(({ icon, adminOnly }) => icon && (!adminOnly || isAdmin))
    .map(({ path: pattern, title, icon: Icon }) => {
      const path = withoutBlanks(pattern);
      const here = isHere(path, location);
      return (
        <NavLink
          key={path}
          component={Link}
          href={path}
          label={title}
          leftSection={Icon && <Icon size={18} aria-hidden />}
          className="nav-link"
          fw={here ? 650 : 400}
          {...(here && { 'aria-current': 'page' as const })}
          onClick={onFollow}
        />
      );
    });
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const label = dark ? 'Light colours' : 'Dark colours';
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      >
        {dark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}

function AccountMenu() {
  const session = useSession();
  const user = useCall('users.get', {}).data?.value;
  // With its id, so that a new picture is not taken for the old one.
  const params = { user_id: session.user_id, ...(user?.avatar_id && { avatar_id: user.avatar_id }) };
  const picture = addressOf('avatars.user', { params });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${session.username}`}>
          <Avatar src={picture} alt="" radius="xl" size="md" name={session.username} color="cyan.9" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label c="dimmed">{session.username}</Menu.Label>
        <Menu.Item component={Link} href="/account" leftSection={<IconUser size={16} aria-hidden />}>
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut().catch(notifyError)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Says when changes no longer arrive; it goes by itself when they do again. */
function ConnectionNotice() {
  const connection = useConnection();
  return (
    <div role="status">
      {connection === 'lost' && (
        <Alert
          color="orange"
          variant="outline"
          mb="md"
          icon={<IconPlugConnectedX aria-hidden />}
          title="The connection to the service is lost"
        >
          What is shown may be out of date. The console keeps trying, and catches up by itself.
        </Alert>
      )}
    </div>
  );
}

/** The frame of the console: title, navigation, account, and a place for the page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure();
  const [location] = useLocation();
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address is what it is about
  useEffect(() => {
    if (!first.current) window.scrollTo(0, 0);
    first.current = false;
  }, [location.split('/')[1]]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      {/* Following the link alone moves the focus: its target can have it. */}
      <a className="skip-link" href="#main">
        Skip to the page
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close the navigation' : 'Open the navigation'}
              aria-expanded={opened}
            />
            <UnstyledButton component={Link} href="/" aria-label="Moorage, to the dashboard">
              <Group gap={8} wrap="nowrap">
                <img src="/icon.svg" width={28} height={28} alt="" />
                <Text fw={700}>Moorage</Text>
              </Group>
            </UnstyledButton>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <SchemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Main">
        <Navigation onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ConnectionNotice />
        {children}
      </AppShell.Main>
    </AppShell>
  );
}
