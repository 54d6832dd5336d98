import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { InvitationsQuery, Role } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import type { Column } from '../../parts/data-table.tsx';
import { Modal } from '../../parts/dialog.tsx';
import { Secret } from '../../parts/secret.tsx';
import { Section } from '../../parts/section.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import { showDone } from '../../parts/toast.ts';
import { useClosingForm } from '../../parts/use-closing-form.ts';
import { useOrganization } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const INVITATIONS = graphql(`query Invitations { invitations { id email role createdAt expiresAt } }`);
const INVITE = graphql(`
  mutation Invite($email: String!, $role: Role!) { inviteMember(email: $email, role: $role) { token invitation { id } } }
`);
const REVOKE = graphql(`mutation RevokeInvitation($id: ID!) { revokeInvitation(id: $id) { id } }`);

type Invitation = InvitationsQuery['invitations'][number];

/** Open invitations. The link of a new one is shown once. */
export function Invitations() {
  const { settings } = useStrings();
  const query = useQuery({ query: INVITATIONS });
  const [opened, { open, close }] = useDisclosure();
  const columns = useColumns();
  return (
    <Section
      title={settings.invitations}
      actions={
        <Button size="xs" onClick={open} leftSection={<IconUserPlus size={16} aria-hidden />}>
          {settings.invite}
        </Button>
      }
    >
      <Loaded query={query}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Text size="sm">{settings.noInvitations}</Text>
          ) : (
            <ShortTable label={settings.invitations} columns={columns} rows={invitations} />
          )
        }
      </Loaded>
      {opened && <Invite onClose={close} />}
    </Section>
  );
}

function useColumns(): Column<Invitation>[] {
  const { settings } = useStrings();
  const formats = useFormats();
  return [
    { key: 'email', title: settings.email, cell: ({ email }) => email },
    { key: 'role', title: settings.role, from: 'sm', width: 140, cell: ({ role }) => settings.roles[role] },
    { key: 'expires', title: settings.expires, from: 'sm', width: 160, cell: ({ expiresAt }) => formats.date(expiresAt) },
    { key: 'actions', title: '', width: 50, cell: (row) => <Revoke invitation={row} /> },
  ];
}

function Revoke({ invitation: { id, email } }: { invitation: Invitation }) {
  const { settings } = useStrings();
  const [{ fetching }, revoke] = useMutation(REVOKE);
  async function run() {
    const { data } = await revoke({ id });
    if (data) showDone(settings.invitationRevoked);
  }
  return (
    <ActionIcon variant="subtle" color="red" onClick={run} loading={fetching} aria-label={settings.revokeInvitation(email)}>
      <IconTrash size={18} aria-hidden />
    </ActionIcon>
  );
}

function Invite({ onClose }: { onClose(): void }) {
  const { settings } = useStrings();
  const { organization } = useOrganization();
  const [{ fetching }, invite] = useMutation(INVITE);
  const [link, setLink] = useState('');
  const form = useClosingForm({
    initialValues: { email: '', role: 'member' as Role },
    validate: { email: (email) => (/^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/.test(email) ? null : settings.wrongEmail) },
  });
  const roles: Role[] = organization.role === 'owner' ? ['member', 'admin', 'owner'] : ['member', 'admin'];

  async function submit(values: typeof form.values) {
    const { data } = await invite(values, { showsSecret: true });
    if (data?.inviteMember.token) setLink(`${location.origin}/invitation/${data.inviteMember.token}`);
  }
  return (
    <Modal guarded={!link} onClose={onClose} title={settings.invite} size="lg">
      {link ? (
        <Secret value={link} label={settings.link} text={settings.linkText(form.values.email)} />
      ) : (
        <form onSubmit={form.onSubmit(submit)}>
          <Stack>
            <TextInput data-autofocus label={settings.email} type="email" maxLength={320} {...form.getInputProps('email')} />
            <Select
              label={settings.role}
              description={settings.roleHelp}
              allowDeselect={false}
              data={roles.map((value) => ({ value, label: settings.roles[value] }))}
              {...form.getInputProps('role')}
            />
            <Group justify="end">
              <Button type="submit" loading={fetching}>
                {settings.createLink}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
