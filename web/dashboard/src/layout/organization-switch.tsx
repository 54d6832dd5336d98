import { Button, Menu } from '@mantine/core';
import { IconCheck, IconPlus, IconSelector } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useOrganization } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';

/** Names the organization, and leads to the others of the user. */
export function OrganizationSwitch() {
  const { layout } = useStrings();
  const { organization, all } = useOrganization();
  return (
    <Menu width={260} position="bottom-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          rightSection={<IconSelector size={16} aria-hidden />}
          aria-label={`${layout.organization}: ${organization.name}`}
        >
          {organization.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {all.map(({ slug, name }) => (
          <Menu.Item
            key={slug}
            component={Link}
            to={`/o/${slug}`}
            rightSection={slug === organization.slug && <IconCheck size={16} aria-hidden />}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/found" leftSection={<IconPlus size={16} aria-hidden />}>
          {layout.newOrganization}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
