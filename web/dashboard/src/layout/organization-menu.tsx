import { Menu } from '@mantine/core';
import { IconCheck, IconPlus } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useOrganization } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';
import type { OpenMenuProps } from './on-demand.tsx';

/** The organizations of the user, and the way to found another. */
export function OpenMenu({ button, opened, onChange }: OpenMenuProps) {
  const { layout } = useStrings();
  const { organization, all } = useOrganization();
  return (
    <Menu width={260} position="bottom-start" opened={opened} onChange={onChange}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown mah="70dvh" style={{ overflow: 'auto' }}>
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
