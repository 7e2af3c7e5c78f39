import {
  ActionIcon,
  Alert,
  Avatar,
  Burger,
  Group,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMoon, IconPlugConnectedX, IconSearch, IconSun } from '@tabler/icons-react';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf } from './api/client.ts';
import { useConnection } from './api/live.tsx';
import { useCall } from './api/queries.ts';
import { useIsAdmin, useSession } from './api/session.tsx';
import { routes } from './routes.ts';
import { t } from './texts/shell.ts';
import { lazyPart } from './ui/lazy-part.ts';
import { useShortcuts } from './ui/shortcuts.ts';
import { Bell } from './views/alerts/bell.tsx';

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
        <Link
          key={path}
          href={path}
          className="nav-link"
          {...(here && { 'aria-current': 'page' as const })}
          onClick={onFollow}
        >
          {Icon && <Icon size={18} aria-hidden />}
          {title}
        </Link>
      );
    });
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const label = dark ? t.lightColours : t.darkColours;
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />}
    </ActionIcon>
  );
}

const AccountMenu = lazyPart(() => import('./views/account/account-menu.tsx'));

/** The picture of the user, and what it leads to. */
function Account() {
  const session = useSession();
  const [isAsked, ask] = useState(false);
  const user = useCall('users.get', {}).data?.value;
  // With its id, so that a new picture is not taken for the old one.
  const params = { user_id: session.user_id, ...(user?.avatar_id && { avatar_id: user.avatar_id }) };
  const picture = addressOf('avatars.user', { params });
  const button = (
    <UnstyledButton aria-label={t.accountOf(session.username)} aria-haspopup="menu" onClick={() => ask(true)}>
      <Avatar src={picture} alt="" radius="xl" size="md" name={session.username} color="cyan.9" />
    </UnstyledButton>
  );
  return <Suspense fallback={button}>{isAsked ? <AccountMenu>{button}</AccountMenu> : button}</Suspense>;
}

const Search = lazyPart(() => import('./views/search/search.tsx'));
const Keys = lazyPart(() => import('./views/search/keys.tsx'));

/** The search of everything and the keys: `/` searches, `?` shows the keys, `g` and another one goes to a view. */
function Shortcuts() {
  const [shown, show] = useState<'search' | 'keys'>();
  const [, navigate] = useLocation();
  const isAdmin = useIsAdmin();
  const views = routes.filter(({ go, adminOnly }) => go !== undefined && (!adminOnly || isAdmin));
  useShortcuts({
    '/': () => show('search'),
    '?': () => show('keys'),
    ...Object.fromEntries(views.map(({ go, path }) => [`g ${go}`, () => navigate(withoutBlanks(path))])),
  });
  const props = { isAdmin, onClose: () => show(undefined) };
  return (
    <>
      <ActionIcon variant="default" size="lg" aria-label={t.searchEverything} title="/" onClick={() => show('search')}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      <Suspense>
        {shown === 'search' && <Search {...props} />}
        {shown === 'keys' && <Keys {...props} />}
      </Suspense>
    </>
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
          title={t.connectionToServiceIsLost}
        >
          {t.whatIsShownMayBe}
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
    <div className="shell" data-opened={opened || undefined}>
      {/* Following the link alone moves the focus: its target can have it. */}
      <a className="skip-link" href="#main">
        {t.skipToPage}
      </a>
      <header className="shell-header">
        <Group h="100%" gap="xs" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? t.closeNavigation : t.openNavigation}
              aria-expanded={opened}
            />
            <UnstyledButton component={Link} href="/" aria-label={t.moorageToDashboard}>
              <Group gap={8} wrap="nowrap">
                <img src="/icon.svg" width={28} height={28} alt="" />
                <Text fw={700}>Moorage</Text>
              </Group>
            </UnstyledButton>
          </Group>
          <Group gap={8} wrap="nowrap">
            <Shortcuts />
            <Bell />
            <SchemeSwitch />
            <Account />
          </Group>
        </Group>
      </header>
      <nav className="shell-nav" aria-label={t.main}>
        <Navigation onFollow={close} />
      </nav>
      <main className="shell-main" id="main" tabIndex={-1}>
        <ConnectionNotice />
        {children}
      </main>
    </div>
  );
}
