import { Anchor, Badge, Button, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconTicket } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useEvery } from '../../../graph/every.ts';
import { useOlder } from '../../../graph/older.ts';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { Search } from '../../../parts/search.tsx';
import { Empty } from '../../../parts/states.tsx';
import { useAddress, useOrganization } from '../../../session/organization.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { AgentSelect } from '../agent-select.tsx';
import { TICKETS, type TicketRow } from './documents.ts';
import { NewTicket } from './new-ticket.tsx';
import { StatusBadge } from './status.tsx';
import { TicketDrawer } from './ticket-drawer.tsx';

/** Seconds between reads. */
const INTERVAL = 20;
const priorityColors = { low: 'gray', normal: 'gray', high: 'orange', urgent: 'red' } as const;

/** The tickets, those with the latest activity first. */
export function View() {
  const { inbox } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const navigate = useNavigate();
  const { organization } = useOrganization();
  const { id } = useParams();
  const [isNew, { open, close }] = useDisclosure();
  const [status, setStatus] = useState<TicketRow['status'] | null>(null);
  const [agentId, setAgentId] = useState<string | null>(null);
  const [text, setText] = useState('');
  const search = text.trim();
  const filter = search.includes('@') ? { email: search } : search ? { ticketNumber: search.toUpperCase() } : {};
  const rows = useOlder(
    TICKETS,
    { status, agentId, ...filter },
    ({ tickets }) => tickets,
    ({ lastActivityAt }) => lastActivityAt,
  );
  useEvery(INTERVAL, () => rows.retry?.());
  const columns: Column<TicketRow>[] = [
    {
      key: 'subject',
      title: inbox.subject,
      cell: (ticket) => (
        <Anchor component={Link} size="sm" to={address(`inbox/tickets/${ticket.id}`)} title={ticket.subject}>
          {ticket.ticketNumber} · {ticket.subject}
        </Anchor>
      ),
    },
    { key: 'status', title: inbox.state, width: 170, cell: (ticket) => <StatusBadge status={ticket.status} /> },
    {
      key: 'priority',
      title: inbox.priority,
      width: 110,
      from: 'md',
      cell: ({ priority }) => (
        <Badge variant="light" color={priorityColors[priority]}>
          {inbox.priorities[priority]}
        </Badge>
      ),
    },
    { key: 'requester', title: inbox.requester, from: 'md', cell: (ticket) => ticket.requesterName ?? ticket.requesterEmail },
    { key: 'assigned', title: inbox.assignedTo, from: 'sm', cell: ({ assignedToName }) => assignedToName ?? inbox.nobody },
    { key: 'activity', title: inbox.activity, width: 150, from: 'sm', cell: ({ lastActivityAt }) => formats.ago(lastActivityAt) },
  ];
  const isFiltered = Boolean(status || agentId || search);
  const hasHelpdesk = organization.modules.includes('helpdesk');
  const create = hasHelpdesk && (
    <Button onClick={open} leftSection={<IconPlus size={16} aria-hidden />}>
      {inbox.newTicket}
    </Button>
  );
  return (
    <>
      <Group mb="sm" gap="xs" justify="space-between">
        <Group gap="xs" flex="1 1 18rem">
          <Search label={inbox.ticketSearch} value={text} onSearch={setText} />
          <Select
            aria-label={inbox.state}
            placeholder={inbox.allStates}
            clearable
            clearButtonProps={{ 'aria-label': inbox.allStates }}
            w={180}
            data={Object.entries(inbox.ticketStates).map(([value, label]) => ({ value, label }))}
            value={status}
            onChange={(value) => setStatus(value as typeof status)}
          />
          <AgentSelect value={agentId} onChange={setAgentId} />
        </Group>
        {create}
      </Group>
      <DataTable
        label={inbox.views.tickets}
        columns={columns}
        rows={rows}
        empty={
          <Empty
            icon={IconTicket}
            title={isFiltered ? inbox.noMatches : inbox.noTickets}
            text={isFiltered ? undefined : hasHelpdesk ? inbox.noTicketsText : inbox.needsHelpdesk}
          />
        }
      />
      {isNew && <NewTicket onClose={close} />}
      {id && <TicketDrawer key={id} id={id} onClose={() => navigate(address('inbox/tickets'))} />}
    </>
  );
}
