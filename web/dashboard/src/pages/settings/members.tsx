import { ActionIcon, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLogout, IconTrash, IconUserMinus, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { InvitationsQuery, MembersQuery, Role } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useQuery } from '../../graph/graph-hooks.ts';
import { type Column, ShortTable } from '../../parts/data-table.tsx';
import { Action, Note, Submit } from '../../parts/elements.tsx';
import { Choice, Modal, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { Loaded, Section } from '../../parts/page-frame.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useOrganization, useSession } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const MEMBERS = graphql(`query Members { organization { id members { role joinedAt user { id name email } } } }`);
const CHANGE = graphql(`
  mutation ChangeMember($userId: ID!, $role: Role!) { updateMember(userId: $userId, role: $role) { role user { id } } }
`);
const REMOVE = graphql(`mutation RemoveMember($userId: ID!) { removeMember(userId: $userId) { id } }`);
const END_SESSIONS = graphql(`mutation EndMemberSessions($userId: ID!) { endMemberSessions(userId: $userId) }`);

type Member = MembersQuery['organization']['members'][number];
type Row = Member & { id: string };
const ROLES: Role[] = ['owner', 'admin', 'member'];

/** The members of the organization, and its open invitations. */
export function Part() {
  const { settings } = useStrings();
  const { isAdmin } = useOrganization();
  const query = useQuery({ query: MEMBERS });
  const columns = useColumns();
  return (
    <Stack>
      <Section title={settings.parts.members}>
        <Loaded query={query}>
          {({ organization: { members } }) => (
            <ShortTable
              label={settings.parts.members}
              columns={columns}
              rows={members.map((each) => ({ ...each, id: each.user.id }))}
            />
          )}
        </Loaded>
      </Section>
      {isAdmin && <Invitations />}
    </Stack>
  );
}

function useColumns(): Column<Row>[] {
  const { settings, terms, formats } = useStrings();
  const { isAdmin } = useOrganization();
  return [
    {
      key: 'name',
      title: terms.name,
      cell: ({ user: { name, email } }) => (
        <>
          <Text truncate>{name}</Text>
          <Note size="xs" truncate>
            {email}
          </Note>
        </>
      ),
    },
    {
      key: 'role',
      title: settings.role,
      width: 140,
      cell: (row) => (isAdmin ? <RoleChoice member={row} /> : settings.roles[row.role]),
    },
    { key: 'joined', title: settings.joined, from: 'sm', width: 160, cell: ({ joinedAt }) => formats.date(joinedAt) },
    ...(isAdmin ? [{ key: 'actions', title: '', width: 50, cell: (row: Row) => <Actions member={row} /> }] : []),
  ];
}

/** Whether the caller may change the member: only owners change owners. */
function useMayChange({ role }: Member) {
  const { organization } = useOrganization();
  return organization.role === 'owner' || role !== 'owner';
}

function RoleChoice({ member }: { member: Row }) {
  const { settings } = useStrings();
  const { organization } = useOrganization();
  const [change, isChanging] = useAction(CHANGE, { done: settings.roleChanged });
  const mayChange = useMayChange(member);
  const roles = ROLES.filter((role) => organization.role === 'owner' || role !== 'owner' || member.role === 'owner');

  return (
    <Choice
      size="xs"
      miw={112}
      aria-label={settings.roleOf(member.user.name)}
      disabled={!mayChange || isChanging}
      value={member.role}
      onChange={(role) => role !== member.role && change({ userId: member.id, role: role as Role })}
      data={roles.map((value) => ({ value, label: settings.roles[value] }))}
    />
  );
}

function Actions({ member }: { member: Row }) {
  const { settings, actions } = useStrings();
  const { user } = useSession();
  const mayChange = useMayChange(member);
  const { id, user: of } = member;
  const ask = { title: settings.removeTitle(of.name), text: settings.removeText, action: settings.remove };
  const [remove] = useAction(REMOVE, { ask, done: settings.removed });
  const [signOut] = useAction(END_SESSIONS, { done: ({ endMemberSessions }) => settings.signedOut(endMemberSessions) });
  if (!mayChange || id === user.id) return null;
  return (
    <MoreMenu label={actions.actionsOf(of.name)}>
      <MenuAction label={settings.signOut} icon={IconLogout} onClick={() => signOut({ userId: id })} />
      <MenuAction label={settings.remove} color="red" icon={IconUserMinus} onClick={() => remove({ userId: id })} />
    </MoreMenu>
  );
}

const INVITATIONS = graphql(`query Invitations { invitations { id email role createdAt expiresAt } }`);
const INVITE = graphql(`
  mutation Invite($email: String!, $role: Role!) { inviteMember(email: $email, role: $role) { token mailed invitation { id } } }
`);
const REVOKE = graphql(`mutation RevokeInvitation($id: ID!) { revokeInvitation(id: $id) { id } }`);

type Invitation = InvitationsQuery['invitations'][number];

/** Open invitations. The link of a new one is shown once. */
function Invitations() {
  const { settings } = useStrings();
  const query = useQuery({ query: INVITATIONS });
  const [opened, { open, close }] = useDisclosure();
  const columns = useInvitationColumns();
  return (
    <Section
      title={settings.invitations}
      actions={<Action label={settings.invite} size="xs" onClick={open} leftSection={<IconUserPlus size={16} aria-hidden />} />}
    >
      <Loaded query={query}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Text>{settings.noInvitations}</Text>
          ) : (
            <ShortTable label={settings.invitations} columns={columns} rows={invitations} />
          )
        }
      </Loaded>
      {opened && <Invite onClose={close} />}
    </Section>
  );
}

function useInvitationColumns(): Column<Invitation>[] {
  const { settings, terms, formats } = useStrings();
  return [
    { key: 'email', title: settings.email, cell: ({ email }) => email },
    { key: 'role', title: settings.role, from: 'sm', width: 140, cell: ({ role }) => settings.roles[role] },
    { key: 'expires', title: terms.expires, from: 'sm', width: 160, cell: ({ expiresAt }) => formats.date(expiresAt) },
    { key: 'actions', title: '', width: 50, cell: (row) => <Revoke invitation={row} /> },
  ];
}

function Revoke({ invitation: { id, email } }: { invitation: Invitation }) {
  const { settings } = useStrings();
  const revoke = useButton(REVOKE, { done: settings.invitationRevoked });
  return (
    <ActionIcon variant="subtle" color="red" aria-label={settings.revokeInvitation(email)} {...revoke({ id })}>
      <IconTrash size={18} aria-hidden />
    </ActionIcon>
  );
}

function Invite({ onClose }: { onClose(): void }) {
  const { settings } = useStrings();
  const { organization } = useOrganization();
  const [{ fetching }, invite] = useMutation(INVITE);
  const [link, setLink] = useState('');
  const [isMailed, setIsMailed] = useState(false);
  const form = useClosingForm({
    initialValues: { email: '', role: 'member' as Role },
    validate: {
      email: (email) =>
        /^[^\s@<>,;:"()]+@[^\s@<>,;:"()][^\s@.<>,;:"()]*\.[^\s@<>,;:"()]+$/.test(email) ? null : settings.wrongEmail,
    },
  });
  const roles: Role[] = organization.role === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin'];

  async function submit(values: typeof form.values) {
    const { data } = await invite(values, { showsSecret: true });
    setIsMailed(data?.inviteMember.mailed ?? false);
    if (data?.inviteMember.token) setLink(`${location.origin}/invitation/${data.inviteMember.token}`);
  }
  return (
    <Modal guarded={!link} onClose={onClose} title={settings.invite} size="lg">
      {link ? (
        <Secret
          value={link}
          label={settings.link}
          text={isMailed ? settings.linkMailed(form.values.email) : settings.linkText(form.values.email)}
        />
      ) : (
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            <TextInput {...form.field('email', settings.email)} data-autofocus type="email" maxLength={320} />
            <Choice
              {...form.field('role', settings.role, settings.roleHelp)}
              data={roles.map((value) => ({ value, label: settings.roles[value] }))}
            />
            <Submit label={settings.createLink} loading={fetching} />
          </Stack>
        </form>
      )}
    </Modal>
  );
}
