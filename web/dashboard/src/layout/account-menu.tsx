import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { useSession } from '../session/session.tsx';
import { type Language, languages, useLanguage, useStrings } from '../strings/strings.tsx';
import type { OpenMenuProps } from './on-demand.tsx';

/** The user's address, language, appearance and sign-out. */
export function OpenMenu({ button, opened, onChange }: OpenMenuProps) {
  const { layout } = useStrings();
  const { user, signOut } = useSession();
  const { language, setLanguage } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
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
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={signOut}>
          {layout.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
