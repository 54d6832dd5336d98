import { Anchor, Breadcrumbs } from '@mantine/core';
import { Link } from 'react-router';
import { useAddress } from '../session/organization.tsx';
import { useStrings } from '../strings/strings.tsx';

const WRAPPED = { root: { flexWrap: 'wrap' }, breadcrumb: { whiteSpace: 'normal', overflowWrap: 'anywhere' } } as const;

/** The way back from a part of the site content; `path` is below `content/`. */
export function Crumbs({ steps = [] }: { steps?: { label: string; path: string }[] }) {
  const { pages, content } = useStrings();
  const address = useAddress();
  return (
    <Breadcrumbs component="nav" aria-label={content.way} mb="xs" styles={WRAPPED}>
      {[{ label: pages.content, path: '' }, ...steps].map(({ label, path }) => (
        <Anchor key={path} component={Link} size="sm" to={address(`content${path && `/${path}`}`)}>
          {label}
        </Anchor>
      ))}
    </Breadcrumbs>
  );
}
