import {
  Anchor,
  type AnchorProps,
  Badge,
  type BadgeProps,
  Button,
  type ButtonProps,
  createPolymorphicComponent,
  Group,
  Text,
  type TextProps,
  UnstyledButton,
} from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAddress } from '../session/session.tsx';

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

/** A small button, such as one in a row of a table. */
export const SmallAction = createPolymorphicComponent<'button', ActionProps>((props: ActionProps) => (
  <Action size="xs" variant="default" {...props} />
));

/** A name that opens its record in place. */
export const OpenButton = ({ label, onClick }: { label: string; onClick(): void }) => (
  <UnstyledButton fz="sm" fw={500} c="var(--mantine-color-anchor)" title={label} onClick={onClick}>
    {label}
  </UnstyledButton>
);

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
  <Text c="dimmed" {...props}>
    {children}
  </Text>
);

interface PageLinkProps extends AnchorProps {
  /** The address within the organization, such as `jobs`. */
  to: string;
  label: ReactNode;
  title?: string;
}

/** A link to a page of the web, in a tab of its own. Addresses of other schemes, such as `javascript:`, stay text. */
export const WebLink = ({ url, label = url, ...props }: AnchorProps & { url: string; label?: ReactNode; title?: string }) =>
  /^https?:\/\//i.test(url) ? (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" {...props}>
      {label}
    </Anchor>
  ) : (
    label
  );

/** A button that leads to a page of the organization. */
export function LinkAction({ to, ...props }: ActionProps & { to: string; state?: unknown }) {
  const address = useAddress();
  return <Action component={Link} to={address(to)} {...props} />;
}

/** A link to a page of the organization. */
export function PageLink({ to, label, ...props }: PageLinkProps) {
  const address = useAddress();
  return (
    <Anchor component={Link} to={address(to)} {...props}>
      {label}
    </Anchor>
  );
}
