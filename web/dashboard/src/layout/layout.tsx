import { Alert, AppShell, Badge, Burger, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCoins, IconPlugConnectedX } from '@tabler/icons-react';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { resumeGraphs, useConnection } from '../graph/use-graph.ts';
import { Crash } from '../parts/crash.tsx';
import { useKeptFocus } from '../parts/focus.ts';
import { Framed, Loading } from '../parts/states.tsx';
import { useFormats, useStrings } from '../strings/strings.tsx';
import classes from './layout.module.css';
import { Navigation } from './navigation.tsx';
import { OrganizationSwitch } from './organization-switch.tsx';
import { Overview, useOverview } from './overview.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame of every page of an organization: header, navigation, content. */
export function Layout({ children }: { children: ReactNode }) {
  const { layout, product } = useStrings();
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
              <Credits />
              <UserMenu />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" aria-label={layout.navigation}>
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
    </Overview>
  );
}

function Credits() {
  const { layout } = useStrings();
  const formats = useFormats();
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
        <Text size="sm">{connection === 'lost' ? layout.offline : layout.refused}</Text>
        {connection === 'refused' && (
          <Button size="xs" variant="default" onClick={resumeGraphs}>
            {layout.reconnect}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
