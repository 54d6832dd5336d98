import { ActionIcon, Alert, AppShell, Avatar, Badge, Burger, Button, Group, NavLink, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconCoins, IconPlugConnectedX, IconSearch, IconSelector } from '@tabler/icons-react';
import {
  type ComponentType,
  cloneElement,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react';
import { Link, useLocation } from 'react-router';
import { resumeGraphs, useConnection } from '../graph/use-graph.ts';
import { askBeforeLeaving } from '../parts/leaving.ts';
import { useConfirm, useKeptFocus } from '../parts/overlays.tsx';
import { Crash, Framed, Loading } from '../parts/page-frame.tsx';
import { type Route, routes } from '../routes.ts';
import { useAddress, useOrganization, useSession } from '../session/session.tsx';
import { loadPageStrings, useStrings } from '../strings/strings.tsx';
import { CallAlerts } from './call-alerts.tsx';
import classes from './layout.module.css';
import type { OpenMenuProps } from './menus.tsx';
import { HandoffQueue, Overview, useHandoffQueue, useOverview } from './overview.tsx';

/** The frame of every page of an organization: header, navigation, content. */
export function Layout({ children }: { children: ReactNode }) {
  const { layout, product, pages } = useStrings();
  const { pathname } = useLocation();
  const [opened, { toggle, close }] = useDisclosure();
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useKeptFocus(content);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new address closes the navigation of a narrow screen.
  useEffect(() => {
    close();
    // The link that led here may be gone with its page.
    if (!isFirst.current && document.activeElement === document.body) content.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [pathname]);
  return (
    <Overview>
      <HandoffQueue>
        <CallAlerts />
        <AppShell
          header={{ height: 56 }}
          navbar={{ width: 220, breakpoint: 'md', collapsed: { mobile: !opened } }}
          padding={{ base: 'sm', sm: 'lg' }}
        >
          <a className={classes.skip} href="#content">
            {layout.skip}
          </a>
          <AppShell.Header aria-label={product}>
            <Group h="100%" px="md" gap="sm" wrap="nowrap">
              <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={layout.openNavigation} />
              <OrganizationSwitch />
              <Group ml="auto" gap="sm" wrap="nowrap">
                <SearchButton />
                <Credits />
                <UserMenu />
              </Group>
            </Group>
          </AppShell.Header>
          <AppShell.Navbar p="sm" aria-label={pages.pages}>
            <Navigation />
          </AppShell.Navbar>
          <AppShell.Main ref={content} id="content" tabIndex={-1} className={classes.main}>
            <Connection />
            <UnsavedGuard />
            <Framed value={true}>
              <Crash place={pathname}>
                <Suspense fallback={<Loading />}>{children}</Suspense>
              </Crash>
            </Framed>
          </AppShell.Main>
        </AppShell>
      </HandoffQueue>
    </Overview>
  );
}

const Palette = lazy(async () => {
  const [{ Palette: component }] = await Promise.all([import('./palette.tsx'), loadPageStrings()]);
  return { default: component };
});

/** Opens the search of everything, also by Ctrl-K. */
function SearchButton() {
  const { layout } = useStrings();
  const [opened, { open, close }] = useDisclosure();
  const unlessAsked = () => document.querySelector('[aria-modal="true"]') === null && open();
  useHotkeys([['mod+K', unlessAsked]], []);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={layout.search}
        title={`${layout.search} (Ctrl K)`}
        onClick={open}
      >
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
      {opened && (
        <Suspense>
          <Palette onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function Credits() {
  const { layout, formats } = useStrings();
  const overview = useOverview();
  if (!overview) return null;
  return (
    <Badge variant="light" size="lg" fw={500} leftSection={<IconCoins size={14} aria-hidden />} visibleFrom="xs">
      {layout.credits(overview.credits, formats.credits(overview.credits))}
    </Badge>
  );
}

function Connection() {
  const { layout } = useStrings();
  const connection = useConnection();
  if (connection === 'open') return null;
  return (
    <Alert color="yellow" mb="md" icon={<IconPlugConnectedX aria-hidden />} role="status">
      <Group justify="space-between" gap="xs">
        <Text>{connection === 'lost' ? layout.offline : layout.refused}</Text>
        {connection === 'refused' && (
          <Button size="xs" variant="default" onClick={resumeGraphs}>
            {layout.reconnect}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Pages that the server refuses to members. */
const FOR_ADMINS = new Set<Route['name']>(['agents']);

/** Links to the pages with an icon that the user may read, with the number of open decisions. */
function Navigation() {
  const { isAdmin } = useOrganization();
  return routes.map((route) => route.icon && (isAdmin || !FOR_ADMINS.has(route.name)) && <Entry key={route.path} {...route} />);
}

function Entry({ path, name, icon: Icon }: Route) {
  const { pages, layout, formats } = useStrings();
  const address = useAddress();
  const { pathname } = useLocation();
  const overview = useOverview();
  const queue = useHandoffQueue();
  const here = address(path.replace(/\/:.*/, ''));
  const active = path === '' ? pathname === here : pathname === here || pathname.startsWith(`${here}/`);
  const waiting = name === 'inbox' ? (queue?.waiting ?? 0) + (queue?.approvals.length ?? 0) : 0;
  const open = name === 'review' ? (overview?.reviewCount ?? 0) : waiting;
  return (
    <NavLink
      component={Link}
      to={here}
      label={pages[name]}
      active={active}
      aria-current={active ? 'page' : undefined}
      leftSection={Icon && <Icon size={18} stroke={1.6} aria-hidden />}
      rightSection={
        open > 0 && (
          <Badge
            size="sm"
            variant={waiting > 0 ? 'filled' : 'light'}
            color={waiting > 0 ? 'red' : undefined}
            title={waiting > 0 ? layout.waiting(waiting) : undefined}
          >
            {formats.number(open)}
          </Badge>
        )
      }
    />
  );
}

const OrganizationMenu = lazy(async () => ({ default: (await import('./menus.tsx')).OrganizationMenu }));

function OrganizationSwitch() {
  const { layout } = useStrings();
  const { organization } = useOrganization();
  const button = (
    <Button
      variant="subtle"
      color="gray"
      c="var(--mantine-color-text)"
      px="xs"
      miw={0}
      rightSection={<IconSelector size={16} aria-hidden />}
      aria-label={`${layout.organization}: ${organization.name}`}
    >
      <Text span inherit truncate>
        {organization.name}
      </Text>
    </Button>
  );
  return <OnDemand button={button} menu={OrganizationMenu} />;
}

const AccountMenu = lazy(async () => ({ default: (await import('./menus.tsx')).AccountMenu }));

/** Shows who is signed in, and opens language, appearance and sign-out. */
function UserMenu() {
  const { layout } = useStrings();
  const { user } = useSession();
  const button = (
    <ActionIcon variant="subtle" size="lg" radius="xl">
      <VisuallyHidden>{layout.account}</VisuallyHidden>
      <Avatar name={user.name || user.email} size={32} color="indigo" aria-hidden />
    </ActionIcon>
  );
  return <OnDemand button={button} menu={AccountMenu} />;
}

interface OnDemandProps {
  /** The button that opens the menu. */
  button: ReactElement;
  /** The menu around its button. */
  menu: ComponentType<OpenMenuProps>;
}

/** A menu whose code loads when its button is first used, because most visits open no menu. */
function OnDemand({ button, menu }: OnDemandProps) {
  const [used, setUsed] = useState(false);
  const closed = cloneElement(button as ReactElement<Record<string, unknown>>, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setUsed(true),
  });
  if (!used) return closed;
  return (
    <Suspense fallback={closed}>
      <Opening button={button} menu={menu} />
    </Suspense>
  );
}

/** Mounts the menu closed, and then opens it from its focused button. So the button gets the focus back when the menu closes. */
function Opening({ button, menu: OpenMenu }: OnDemandProps) {
  const target = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    target.current?.focus();
    setOpened(true);
  }, []);
  return (
    <OpenMenu
      button={cloneElement(button as ReactElement<Record<string, unknown>>, { ref: target })}
      opened={opened}
      onChange={setOpened}
    />
  );
}

/** Asks before a navigation that would lose the edits of a form. */
function UnsavedGuard() {
  const { layout } = useStrings();
  const confirm = useConfirm();
  // The functions are new after each render, so the last one asks.
  useEffect(() =>
    askBeforeLeaving(() => confirm({ title: layout.unsavedTitle, text: layout.unsavedText, action: layout.leave, danger: true })),
  );
  return null;
}
