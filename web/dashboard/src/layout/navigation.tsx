import { Badge, NavLink } from '@mantine/core';
import { Link, useLocation } from 'react-router';
import { type Route, routes } from '../routes.ts';
import { useAddress, useOrganization } from '../session/organization.tsx';
import { useFormats, useStrings } from '../strings/strings.tsx';
import { useOverview } from './overview.tsx';

/** Pages that the server refuses to members. */
const FOR_ADMINS = new Set<Route['name']>(['agents']);

/** Links to the pages with an icon that the user may read, with the number of open decisions. */
export function Navigation() {
  const { isAdmin } = useOrganization();
  return routes.map((route) => route.icon && (isAdmin || !FOR_ADMINS.has(route.name)) && <Entry key={route.path} {...route} />);
}

function Entry({ path, name, icon: Icon }: Route) {
  const { pages } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { pathname } = useLocation();
  const overview = useOverview();
  const here = address(path.replace(/\/:.*/, ''));
  const active = path === '' ? pathname === here : pathname === here || pathname.startsWith(`${here}/`);
  const open = name === 'review' ? (overview?.reviewCount ?? 0) : 0;
  return (
    <NavLink
      component={Link}
      to={here}
      label={pages[name]}
      active={active}
      aria-current={active ? 'page' : undefined}
      leftSection={Icon && <Icon size={18} stroke={1.6} aria-hidden />}
      rightSection={
        open > 0 && (
          <Badge size="sm" variant="light">
            {formats.number(open)}
          </Badge>
        )
      }
    />
  );
}
