import { Button, Group, Select } from '@mantine/core';
import { useMutation, useQuery } from 'urql';
import { useSession } from '../../../session/session.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { ASSIGN, MEMBERS, SET_STATUS, type Ticket } from './documents.ts';
import { isOpen } from './status.tsx';

/** The statuses that a person sets. Replies set the others. */
const settable = ['on_hold', 'closed', 'cancelled'] as const;

/** Assigns a ticket and sets its status. */
export function TicketActions({ ticket: { id, status, assignedToUserId } }: { ticket: Ticket }) {
  const { inbox } = useStrings();
  const { user } = useSession();
  const [{ data }] = useQuery({ query: MEMBERS });
  const [assigning, assign] = useMutation(ASSIGN);
  const [setting, setStatus] = useMutation(SET_STATUS);
  const members = data?.organization.members.map(({ user: { id: value, name, email } }) => ({ value, label: name || email })) ?? [];
  if (!isOpen(status)) return null;
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label={inbox.assignedTo}
        placeholder={inbox.nobody}
        searchable
        allowDeselect={false}
        disabled={assigning.fetching}
        data={members}
        value={assignedToUserId ?? null}
        onChange={(userId) => userId && assign({ id, userId })}
      />
      {assignedToUserId !== user.id && (
        <Button variant="light" loading={assigning.fetching} onClick={() => assign({ id, userId: user.id })}>
          {inbox.assignToMe}
        </Button>
      )}
      {settable
        .filter((each) => each !== status)
        .map((each) => (
          <Button key={each} variant="default" disabled={setting.fetching} onClick={() => setStatus({ id, status: each })}>
            {inbox.setStates[each]}
          </Button>
        ))}
    </Group>
  );
}
