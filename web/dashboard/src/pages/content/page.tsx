import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconWorld } from '@tabler/icons-react';
import { Link } from 'react-router';
import { NameForm } from '../../content/name-form.tsx';
import { SiteActions } from '../../content/site-actions.tsx';
import { type SiteRow, WORKSPACES, type WorkspaceRow } from '../../content/sites.ts';
import { Status } from '../../content/status.tsx';
import { WorkspaceActions } from '../../content/workspace-actions.tsx';
import { useQuery } from '../../graph/use-query.ts';
import type { Column } from '../../parts/data-table.tsx';
import { PageTitle } from '../../parts/page-title.tsx';
import { Section } from '../../parts/section.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useAddress, useOrganization } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

/** The workspaces of the organization and their sites. */
export function Page() {
  const { content, pages } = useStrings();
  const { isAdmin } = useOrganization();
  const [creating, { open, close }] = useDisclosure();
  const query = useQuery({ query: WORKSPACES, variables: { status: isAdmin ? 'all' : 'published' } });
  const button = isAdmin && (
    <Button onClick={open} leftSection={<IconPlus size={16} aria-hidden />}>
      {content.newWorkspace}
    </Button>
  );
  return (
    <>
      <PageTitle title={pages.content}>{button}</PageTitle>
      <Loaded query={query}>
        {({ workspaces: { nodes } }) => (
          <Stack>
            {nodes.map((workspace) => (
              <Workspace key={workspace.id} workspace={workspace} />
            ))}
            {nodes.length === 0 && (
              <Empty icon={IconWorld} title={content.empty} text={content.emptyText}>
                {button}
              </Empty>
            )}
          </Stack>
        )}
      </Loaded>
      {creating && <NameForm kind="workspace" onClose={close} />}
    </>
  );
}

function Workspace({ workspace }: { workspace: WorkspaceRow }) {
  const { content } = useStrings();
  const columns = useColumns();
  const sites = workspace.sites?.nodes ?? [];
  return (
    <Section title={workspace.name} actions={<WorkspaceActions workspace={workspace} />}>
      {sites.length === 0 ? (
        <Text size="sm">{content.noSites}</Text>
      ) : (
        <ShortTable label={workspace.name} columns={columns} rows={sites} />
      )}
    </Section>
  );
}

function useColumns(): Column<SiteRow>[] {
  const { content } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  return [
    {
      key: 'name',
      title: content.site,
      cell: ({ id, name, slug }) => (
        <>
          <Anchor component={Link} size="sm" to={address(`content/${id}`)}>
            {name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {slug}
          </Text>
        </>
      ),
    },
    { key: 'status', title: content.status, width: 140, cell: ({ status }) => <Status status={status} /> },
    { key: 'updated', title: content.updated, from: 'sm', width: 160, cell: ({ updatedAt }) => formats.ago(updatedAt) },
    { key: 'actions', title: '', width: 50, cell: (row) => <SiteActions site={row} /> },
  ];
}
