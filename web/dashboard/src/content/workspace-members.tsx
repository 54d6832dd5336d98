import { ActionIcon, Group, Select, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { Role, WorkspaceMembersQuery } from '../../.graph/graphql.ts';
import { graphql, useQuery } from '../graph/graph-hooks.ts';
import { Action, Note } from '../parts/elements.tsx';
import { Choice, Modal } from '../parts/forms-and-dialogs.tsx';
import { Loaded } from '../parts/page-frame.tsx';
import { useStrings } from '../strings/strings.tsx';

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
export function WorkspaceMembers({ id, onClose }: { id: string; onClose(): void }) {
  const { content, settings, actions } = useStrings();
  const query = useQuery({ query: MEMBERS, variables: { id } });
  const [{ fetching }, add] = useMutation(ADD);
  const [userId, setUserId] = useState<string | null>(null);

  async function submit() {
    if (!userId) return;
    const { data } = await add({ id, userId, role: 'member' });
    if (data) setUserId(null);
  }
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
                <Action label={actions.add} onClick={submit} loading={fetching} disabled={!userId} />
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
  const [{ fetching: removing }, remove] = useMutation(REMOVE);
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
        <ActionIcon
          variant="subtle"
          color="red"
          loading={removing}
          aria-label={actions.removeOf(name)}
          onClick={() => remove({ id })}
        >
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Group>
  );
}
