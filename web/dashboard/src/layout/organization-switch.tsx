import { Button } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { lazy } from 'react';
import { useOrganization } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import { OnDemand } from './on-demand.tsx';

const Menu = lazy(async () => ({ default: (await import('./organization-menu.tsx')).OpenMenu }));

/** Names the organization, and leads to the others of the user. */
export function OrganizationSwitch() {
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
      {organization.name}
    </Button>
  );
  return <OnDemand button={button} menu={Menu} />;
}
