import {
  ActionIcon,
  Anchor,
  type AnchorProps,
  Badge,
  type BadgeProps,
  Button,
  type ButtonProps,
  createPolymorphicComponent,
  Group,
  type MantineSize,
  type MantineSpacing,
  Menu,
  type MenuItemProps,
  Pagination,
  Text,
  type TextProps,
} from '@mantine/core';
import { IconDots, type TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAddress } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';

interface ActionProps extends ButtonProps {
  label: ReactNode;
  icon?: TablerIcon;
  /** The name of the record, for screen readers, where several records have such a button. */
  of?: string;
}

/** A button with a label, and an icon before it. */
export const Action = createPolymorphicComponent<'button', ActionProps>(({ label, icon: Icon, of, ...props }: ActionProps) => (
  <Button
    leftSection={Icon && <Icon size={props.size === 'xs' ? 14 : 16} aria-hidden />}
    aria-label={of && `${label}: ${of}`}
    {...props}
  >
    {label}
  </Button>
));

/** The button that submits a form, at the end of its last line. */
export const Submit = (props: ActionProps) => (
  <Group justify="end">
    <Action type="submit" {...props} />
  </Group>
);

/** A short fact beside a record, such as its status. */
export const Tag = ({ label, ...props }: BadgeProps & { label: ReactNode; title?: string }) => (
  <Badge variant="light" {...props}>
    {label}
  </Badge>
);

/** Explains something, or tells a fact of less importance. */
export const Note = ({ children, ...props }: TextProps & { children: ReactNode; role?: string }) => (
  <Text size="sm" c="dimmed" {...props}>
    {children}
  </Text>
);

interface PageLinkProps extends AnchorProps {
  /** The address within the organization, such as `jobs`. */
  to: string;
  label: ReactNode;
  title?: string;
}

/** A link to a page of the organization. */
export function PageLink({ to, label, ...props }: PageLinkProps) {
  const address = useAddress();
  return (
    <Anchor component={Link} size="sm" to={address(to)} {...props}>
      {label}
    </Anchor>
  );
}

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

interface PageChoiceProps {
  page: number;
  totalPages: number;
  onPage(page: number): void;
  mt?: MantineSpacing;
  size?: MantineSize;
}

/** Leads to the other pages of a list, if it has several. */
export function PageChoice({ page, totalPages, onPage, ...props }: PageChoiceProps) {
  const { table } = useStrings();
  if (totalPages <= 1) return null;
  return (
    <Pagination
      value={page}
      onChange={onPage}
      total={totalPages}
      getControlProps={(control) => ({ 'aria-label': table.controls[control] })}
      getItemProps={(number) => ({ 'aria-label': table.page(number) })}
      {...props}
    />
  );
}
