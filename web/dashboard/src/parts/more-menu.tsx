import { ActionIcon, Menu, type MenuItemProps } from '@mantine/core';
import { IconDots, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface MoreMenuProps {
  /** Names the button. */
  label: string;
  /** The button stands beside other buttons, not in a row of a table. */
  beside?: boolean;
  width?: number;
  children: ReactNode;
}

/** A button with three dots that opens further actions. */
export const MoreMenu = ({ label, beside, width, children }: MoreMenuProps) => (
  <Menu position="bottom-end" width={width}>
    <Menu.Target>
      <ActionIcon {...(beside ? { variant: 'default', size: 36 } : { variant: 'subtle', color: 'gray' })} aria-label={label}>
        <IconDots size={18} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);

interface MenuActionProps extends MenuItemProps {
  label: string;
  icon?: TablerIcon;
  onClick(): void;
}

/** An action of a `MoreMenu`. */
export const MenuAction = ({ label, icon: Icon, ...props }: MenuActionProps) => (
  <Menu.Item leftSection={Icon && <Icon size={16} aria-hidden />} {...props}>
    {label}
  </Menu.Item>
);
