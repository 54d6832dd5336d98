import { Button, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from 'urql';
import { useQuery } from '../../../graph/use-query.ts';
import { useSession } from '../../../session/session.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { ASSIGN, MEMBERS, SET_STATUS, type Ticket } from './documents.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { isOpen } from './status.tsx';

/** The statuses that a person sets. Replies set the others. */
const settable = ['on_hold', 'closed', 'cancelled'] as const;

/** Assigns a ticket, sets its status, and merges duplicates into it. */
export function TicketActions({ ticket }: { ticket: Ticket }) {
  const { id, status, assignedToUserId } = ticket;
  const { inbox } = useStrings();
  const { user } = useSession();
  const [{ data }] = useQuery({ query: MEMBERS });
  const [assigning, assign] = useMutation(ASSIGN);
  const [setting, setStatus] = useMutation(SET_STATUS);
  const members = data?.organization.members.map(({ user: { id: value, name, email } }) => ({ value, label: name || email })) ?? [];
  const [isMerging, { open, close }] = useDisclosure();
  if (ticket.mergedIntoId) return null;
  const merge = (
    <>
      <Button variant="default" onClick={open}>
        {inbox.merge}
      </Button>
      {isMerging && <MergeDialog ticket={ticket} onClose={close} />}
    </>
  );
  if (!isOpen(status)) return <Group>{merge}</Group>;
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
      {merge}
    </Group>
  );
}
