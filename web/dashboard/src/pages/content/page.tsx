import { ActionIcon, Group, Menu, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconEye, IconEyeOff, IconPencil, IconPlus, IconTrash, IconUsers, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { Role, WorkspaceMembersQuery, WorkspacesQuery } from '../../../.graph/graphql.ts';
import { Status } from '../../content/record-list.tsx';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { type Column, ShortTable } from '../../parts/data-table.tsx';
import { Action, Note, PageLink, SmallAction } from '../../parts/elements.tsx';
import { Choice, FormDialog, Modal, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { Empty, Loaded, PageTitle, Section } from '../../parts/page-frame.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const WORKSPACES = graphql(`
  query Workspaces($status: SiteFilter!) {
    workspaces(perPage: 100) {
      nodes {
        id name slug version
        sites(perPage: 100, status: $status) { nodes { id workspaceId name slug status publishedAt version updatedAt } }
      }
    }
  }
`);

type WorkspaceRow = WorkspacesQuery['workspaces']['nodes'][number];
type SiteRow = NonNullable<WorkspaceRow['sites']>['nodes'][number];

const CREATE_WORKSPACE = graphql(`mutation CreateWorkspace($input: NewWorkspace!) { createWorkspace(input: $input) { id } }`);
const CHANGE_WORKSPACE = graphql(`
  mutation ChangeWorkspace($id: ID!, $version: Int!, $input: WorkspaceChange!) {
    updateWorkspace(id: $id, version: $version, input: $input) { id name slug version }
  }
`);
const REMOVE_WORKSPACE = graphql(`mutation RemoveWorkspace($id: ID!) { deleteWorkspace(id: $id) { id } }`);

const CREATE_SITE = graphql(`mutation CreateSite($input: NewSite!) { createSite(input: $input) { id } }`);
const CHANGE_SITE = graphql(`
  mutation ChangeSite($id: ID!, $version: Int!, $input: SiteChange!) {
    updateSite(id: $id, version: $version, input: $input) { id name slug version }
  }
`);
const REMOVE_SITE = graphql(`mutation RemoveSite($id: ID!) { deleteSite(id: $id) { id } }`);
const PUBLISH_SITE = graphql(`mutation PublishSite($id: ID!) { publishSite(id: $id) { id status publishedAt version } }`);
const UNPUBLISH_SITE = graphql(`mutation UnpublishSite($id: ID!) { unpublishSite(id: $id) { id status publishedAt version } }`);

/** The workspaces of the organization and their sites. */
export function Page() {
  const { content, pages } = useStrings();
  const { isAdmin } = useOrganization();
  const [creating, { open, close }] = useDisclosure();
  const query = useQuery({ query: WORKSPACES, variables: { status: isAdmin ? 'all' : 'published' } });
  const button = isAdmin && <Action label={content.newWorkspace} onClick={open} icon={IconPlus} />;
  return (
    <>
      <PageTitle title={pages.content}>{button}</PageTitle>
      <Loaded query={query}>
        {({ workspaces: { nodes } }) => (
          <Stack>
            {nodes.map((workspace) => (
              <Workspace key={workspace.id} workspace={workspace} />
            ))}
            {nodes.length === 0 && <Empty icon={IconWorld} title={content.empty} text={content.emptyText} action={button} />}
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
      {sites.length === 0 ? <Text>{content.noSites}</Text> : <ShortTable label={workspace.name} columns={columns} rows={sites} />}
    </Section>
  );
}

function useColumns(): Column<SiteRow>[] {
  const { pages, terms, formats } = useStrings();
  return [
    {
      key: 'name',
      title: pages.site,
      cell: ({ id, name, slug }) => (
        <>
          <PageLink to={`content/${id}`} label={name} />
          <Note size="xs">{slug}</Note>
        </>
      ),
    },
    { key: 'status', title: terms.status, width: 140, cell: ({ status }) => <Status status={status} /> },
    { key: 'updated', title: terms.changed, from: 'sm', width: 160, cell: ({ updatedAt }) => formats.ago(updatedAt) },
    { key: 'actions', title: '', width: 50, cell: (row) => <SiteActions site={row} /> },
  ];
}

/** The actions of owners and admins on a site. */
function SiteActions({ site }: { site: SiteRow }) {
  const { content, actions, terms } = useStrings();
  const { isAdmin } = useOrganization();
  const [renaming, { open, close }] = useDisclosure();
  const { id, name, status } = site;
  const ask = { title: actions.deleteTitle(name), text: content.removeSiteText, action: actions.delete };
  const [publish] = useAction(PUBLISH_SITE, { done: content.published });
  const [unpublish] = useAction(UNPUBLISH_SITE, { done: content.unpublished });
  const [remove] = useAction(REMOVE_SITE, { ask, done: terms.deleted });
  if (!isAdmin) return null;

  return (
    <>
      <MoreMenu label={actions.actionsOf(name)}>
        {status === 'published' ? (
          <MenuAction label={content.unpublish} icon={IconEyeOff} onClick={() => unpublish({ id })} />
        ) : (
          <MenuAction label={actions.publish} icon={IconEye} onClick={() => publish({ id })} />
        )}
        <MenuAction label={actions.rename} icon={IconPencil} onClick={open} />
        <Menu.Divider />
        <MenuAction label={actions.delete} color="red" icon={IconTrash} onClick={() => remove({ id })} />
      </MoreMenu>
      {renaming && <NameForm kind="site" record={site} onClose={close} />}
    </>
  );
}

/** The actions of owners and admins on a workspace. Everyone can see its members. */
function WorkspaceActions({ workspace }: { workspace: WorkspaceRow }) {
  const { content, actions, terms } = useStrings();
  const { isAdmin } = useOrganization();
  const [renaming, rename] = useDisclosure();
  const [creating, create] = useDisclosure();
  const [managing, manage] = useDisclosure();
  const { id, name } = workspace;

  const ask = { title: actions.deleteTitle(name), text: content.removeWorkspaceText, action: actions.delete };
  const [remove] = useAction(REMOVE_WORKSPACE, { ask, done: terms.deleted });
  return (
    <Group gap="xs">
      {isAdmin && <SmallAction label={content.newSite} onClick={create.open} icon={IconPlus} />}
      <MoreMenu label={actions.actionsOf(name)}>
        <MenuAction label={content.members} icon={IconUsers} onClick={manage.open} />
        {isAdmin && (
          <>
            <MenuAction label={actions.rename} icon={IconPencil} onClick={rename.open} />
            <Menu.Divider />
            <MenuAction label={actions.delete} color="red" icon={IconTrash} onClick={() => remove({ id })} />
          </>
        )}
      </MoreMenu>
      {renaming && <NameForm kind="workspace" record={workspace} onClose={rename.close} />}
      {creating && <NameForm kind="site" workspaceId={id} onClose={create.close} />}
      {managing && <WorkspaceMembers id={id} onClose={manage.close} />}
    </Group>
  );
}

interface Props {
  kind: 'workspace' | 'site';
  /** The record to rename; a new one if it is absent. */
  record?: { id: string; name: string; slug: string; version: number };
  /** The workspace of a new site. */
  workspaceId?: string;
  onClose(): void;
}

/** Creates or renames a workspace or a site. */
function NameForm({ kind, record, workspaceId = '', onClose }: Props) {
  const { content, signIn, actions, terms } = useStrings();
  const saved = { done: terms.saved, after: onClose };
  const [createWorkspace] = useAction(CREATE_WORKSPACE, saved);
  const [changeWorkspace] = useAction(CHANGE_WORKSPACE, saved);
  const [createSite] = useAction(CREATE_SITE, saved);
  const [changeSite] = useAction(CHANGE_SITE, saved);
  const form = useClosingForm({
    initialValues: { name: record?.name ?? '', slug: record?.slug ?? '' },
    required: ['name'],
    validate: {
      slug: (slug) => (/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug) ? null : signIn.wrongSlug),
    },
  });

  function write(input: { name: string; slug: string }) {
    if (record) {
      const change = { id: record.id, version: record.version, input };
      return kind === 'site' ? changeSite(change) : changeWorkspace(change);
    }
    return kind === 'site' ? createSite({ input: { workspaceId, ...input } }) : createWorkspace({ input });
  }
  const title = record ? actions.rename : kind === 'site' ? content.newSite : content.newWorkspace;
  return (
    <FormDialog
      guarded
      onClose={onClose}
      title={title}
      form={form}
      onSubmit={write}
      submit={record ? actions.save : actions.create}
    >
      <TextInput {...form.field('name', content.fields.name)} data-autofocus maxLength={255} />
      <TextInput {...form.field('slug', content.fields.slug, signIn.slugHelp)} maxLength={64} />
    </FormDialog>
  );
}

const MEMBERS = graphql(`
  query WorkspaceMembers($id: ID!) {
    workspaceMembers(workspaceId: $id, perPage: 100) { nodes { id userId role name email } }
    organization { id members { user { id name } } }
  }
`);
const ADD = graphql(`
  mutation AddWorkspaceMember($id: ID!, $userId: ID!, $role: Role!) { addWorkspaceMember(workspaceId: $id, userId: $userId, role: $role) { id } }
`);
const CHANGE = graphql(
  `mutation ChangeWorkspaceMember($id: ID!, $role: Role!) { updateWorkspaceMember(id: $id, role: $role) { id role } }`,
);
const REMOVE = graphql(`mutation RemoveWorkspaceMember($id: ID!) { removeWorkspaceMember(id: $id) { id } }`);

const ROLES: Role[] = ['owner', 'admin', 'member'];

/** The members of a workspace. Its owners and admins edit the content of its sites. */
function WorkspaceMembers({ id, onClose }: { id: string; onClose(): void }) {
  const { content, settings, actions } = useStrings();
  const query = useQuery({ query: MEMBERS, variables: { id } });
  const [userId, setUserId] = useState<string | null>(null);
  const [add, isAdding] = useAction(ADD, { after: () => setUserId(null) });
  const submit = () => userId && add({ id, userId, role: 'member' });
  return (
    <Modal onClose={onClose} title={content.members} size="lg">
      <Loaded query={query}>
        {({ workspaceMembers: { nodes }, organization }) => {
          const members = new Set(nodes.map((each) => each.userId));
          const others = organization.members.filter(({ user }) => !members.has(user.id));
          return (
            <Stack>
              <Text>{content.membersText}</Text>
              {nodes.map((member) => (
                <Member key={member.id} member={member} />
              ))}
              <Group align="end">
                <Select
                  flex={1}
                  label={settings.parts.members}
                  searchable
                  value={userId}
                  onChange={setUserId}
                  data={others.map(({ user }) => ({ value: user.id, label: user.name }))}
                />
                <Action label={actions.add} onClick={submit} loading={isAdding} disabled={!userId} />
              </Group>
            </Stack>
          );
        }}
      </Loaded>
    </Modal>
  );
}

function Member({ member }: { member: WorkspaceMembersQuery['workspaceMembers']['nodes'][number] }) {
  const { settings, actions } = useStrings();
  const [{ fetching: changing }, change] = useMutation(CHANGE);
  const remove = useButton(REMOVE);
  const { id, name, email, role } = member;
  return (
    <Group wrap="nowrap" justify="space-between">
      <div style={{ minWidth: 0 }}>
        <Text truncate>{name}</Text>
        <Note size="xs" truncate>
          {email}
        </Note>
      </div>
      <Group wrap="nowrap" gap="xs">
        <Choice
          size="xs"
          w={120}
          aria-label={settings.roleOf(name)}
          disabled={changing}
          value={role}
          onChange={(next) => change({ id, role: next as Role })}
          data={ROLES.map((value) => ({ value, label: settings.roles[value] }))}
        />
        <ActionIcon variant="subtle" color="red" aria-label={actions.removeOf(name)} {...remove({ id })}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Group>
  );
}
