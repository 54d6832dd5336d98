import { ActionIcon, Avatar, VisuallyHidden } from '@mantine/core';
import { lazy } from 'react';
import { useSession } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import { OnDemand } from './on-demand.tsx';

const Menu = lazy(async () => ({ default: (await import('./account-menu.tsx')).OpenMenu }));

/** Shows who is signed in, and opens language, appearance and sign-out. */
export function UserMenu() {
  const { layout } = useStrings();
  const { user } = useSession();
  const button = (
    <ActionIcon variant="subtle" size="lg" radius="xl">
      <VisuallyHidden>{layout.account}</VisuallyHidden>
      <Avatar name={user.name || user.email} size={32} color="indigo" aria-hidden />
    </ActionIcon>
  );
  return <OnDemand button={button} menu={Menu} />;
}
