import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconLogout, IconMoon, IconPlus, IconSun } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { MenuAction } from '../parts/more-menu.tsx';
import { useOrganization, useSession } from '../session/session.tsx';
import { type Language, languages, useLanguage, useStrings } from '../strings/strings.tsx';
import { useAlertChoice } from './call-alerts.tsx';

export interface OpenMenuProps {
  button: ReactElement;
  opened: boolean;
  onChange(opened: boolean): void;
}

/** The user's address, language, appearance, alerts of this browser and sign-out. */
export function AccountMenu({ button, opened, onChange }: OpenMenuProps) {
  const { layout } = useStrings();
  const { user, signOut } = useSession();
  const { language, setLanguage } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [alerts, setAlerts] = useAlertChoice();
  const schemes = [
    ['light', layout.light, IconSun],
    ['dark', layout.dark, IconMoon],
    ['auto', layout.system, IconDeviceDesktop],
  ] as const;
  return (
    <Menu width={240} position="bottom-end" opened={opened} onChange={onChange}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Label>{layout.language}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(name) => setLanguage(name as Language)}>
          {Object.entries(languages).map(([key, { name }]) => (
            <Menu.RadioItem key={key} value={key}>
              <span lang={key}>{name}</span>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{layout.appearance}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(name) => setColorScheme(name as MantineColorScheme)}>
          {schemes.map(([name, label, Icon]) => (
            <Menu.RadioItem key={name} value={name} rightSection={<Icon size={16} aria-hidden />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>{layout.alerts}</Menu.Label>
        <Menu.CheckboxItem checked={alerts.notifies} onChange={(notifies) => setAlerts({ ...alerts, notifies })}>
          {layout.alertDesktop}
        </Menu.CheckboxItem>
        <Menu.CheckboxItem checked={alerts.sounds} onChange={(sounds) => setAlerts({ ...alerts, sounds })}>
          {layout.alertSound}
        </Menu.CheckboxItem>
        <Menu.CheckboxItem checked={alerts.always} onChange={(always) => setAlerts({ ...alerts, always })}>
          {layout.alertAlways}
        </Menu.CheckboxItem>
        <Menu.Divider />
        <MenuAction label={layout.signOut} icon={IconLogout} onClick={signOut} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** The organizations of the user, and the way to found another. */
export function OrganizationMenu({ button, opened, onChange }: OpenMenuProps) {
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
