import { Anchor, Group, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconTicket } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { NewTicket as Input, TicketsQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useEvery } from '../../graph/graph-hooks.ts';
import { useOlder } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, Tag } from '../../parts/elements.tsx';
import { Choice, FormDialog, LongText, OptionalChoice, Search, useClosingForm } from '../../parts/forms-and-dialogs.tsx';
import { useAddress, useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { AgentSelect, tagOf, useAgentNames } from './list-bar.tsx';
import { StatusBadge, TicketDrawer } from './ticket-drawer.tsx';

const TICKETS = graphql(`
  query Tickets(
    $agentId: ID, $status: TicketStatus, $email: String, $ticketNumber: String, $tag: String, $before: Since, $limit: ListLimit!
  ) {
    tickets(
      agentId: $agentId, status: $status, email: $email, ticketNumber: $ticketNumber, tag: $tag, sort: "activity", before: $before, limit: $limit
    ) {
      id ticketNumber subject status priority requesterName requesterEmail contact { id name } assignedToName tags agentName lastActivityAt
    }
  }
`);

const CREATE_TICKET = graphql(`mutation CreateTicket($input: NewTicket!) { createTicket(input: $input) { id } }`);

type TicketRow = TicketsQuery['tickets'][number];

const priorityColors = { low: 'gray', normal: 'gray', high: 'orange', urgent: 'red' } as const;

/** The tickets, those with the latest activity first. */
export function View() {
  const { inbox, terms, formats } = useStrings();
  const address = useAddress();
  const { go } = useGo();
  const { organization } = useOrganization();
  const { id } = useParams();
  const [isNew, { open, close }] = useDisclosure();
  const [status, setStatus] = useState<TicketRow['status'] | null>(null);
  const [agentId, setAgentId] = useState<string | null>(null);
  const [text, setText] = useState('');
  const search = text.trim();
  const tag = tagOf(search);
  const filter = tag ? { tag } : search.includes('@') ? { email: search } : search ? { ticketNumber: search.toUpperCase() } : {};
  const rows = useOlder(
    TICKETS,
    { status, agentId, ...filter },
    ({ tickets }) => tickets,
    ({ lastActivityAt }) => lastActivityAt,
  );
  useEvery(20, () => rows.retry?.());
  const columns: Column<TicketRow>[] = [
    {
      key: 'subject',
      title: inbox.subject,
      cell: (ticket) => (
        <Anchor component={Link} to={address(`inbox/tickets/${ticket.id}`)} title={ticket.subject}>
          {ticket.ticketNumber} · {ticket.subject}
        </Anchor>
      ),
    },
    { key: 'status', title: terms.state, width: 170, cell: (ticket) => <StatusBadge status={ticket.status} /> },
    {
      key: 'priority',
      title: inbox.priority,
      width: 110,
      from: 'md',
      cell: ({ priority }) => <Tag label={inbox.priorities[priority]} color={priorityColors[priority]} />,
    },
    {
      key: 'requester',
      title: inbox.requester,
      from: 'md',
      cell: (ticket) => ticket.requesterName ?? ticket.contact?.name ?? ticket.requesterEmail,
    },
    { key: 'tags', title: inbox.tags, width: 150, from: 'lg', cell: ({ tags }) => tags.join(', ') },
    { key: 'assigned', title: inbox.assignedTo, from: 'sm', cell: ({ assignedToName }) => assignedToName ?? inbox.nobody },
    { key: 'activity', title: inbox.activity, width: 150, from: 'sm', cell: ({ lastActivityAt }) => formats.ago(lastActivityAt) },
  ];
  const isFiltered = Boolean(status || agentId || search);
  const hasHelpdesk = organization.modules.includes('helpdesk');
  const create = hasHelpdesk && <Action label={inbox.newTicket} onClick={open} icon={IconPlus} />;
  return (
    <>
      <Group mb="sm" gap="xs" justify="space-between">
        <Group gap="xs" flex="1 1 18rem">
          <Search label={inbox.ticketSearch} value={text} onSearch={setText} />
          <OptionalChoice
            aria-label={terms.state}
            none={inbox.allStates}
            labels={inbox.ticketStates}
            w={180}
            value={status ?? ''}
            onChange={(next) => setStatus((next || null) as typeof status)}
          />
          <AgentSelect value={agentId} onChange={setAgentId} />
        </Group>
        {create}
      </Group>
      <DataTable
        label={inbox.views.tickets}
        columns={columns}
        rows={rows}
        empty={{
          icon: IconTicket,
          title: isFiltered ? inbox.noMatches : inbox.noTickets,
          text: isFiltered ? undefined : hasHelpdesk ? inbox.noTicketsText : inbox.needsHelpdesk,
        }}
      />
      {isNew && <NewTicket onClose={close} />}
      {id && <TicketDrawer key={id} id={id} onClose={() => go('inbox/tickets')} />}
    </>
  );
}

function NewTicket({ onClose }: { onClose(): void }) {
  const { inbox, terms, pages } = useStrings();
  const { leaveTo } = useGo();
  const names = useAgentNames();
  const [create] = useAction(CREATE_TICKET, {
    after(data) {
      onClose();
      leaveTo(`inbox/tickets/${data.createTicket.id}`);
    },
  });
  const form = useClosingForm({
    initialValues: {
      agentId: names.keys().next().value ?? '',
      subject: '',
      description: '',
      requesterName: '',
      requesterEmail: '',
      priority: 'normal',
    },
    required: ['subject'],
    validate: {
      agentId: (id) => (id ? null : terms.required),
    },
  });
  const submit = (values: typeof form.values) => create({ input: values as Input });
  return (
    <FormDialog guarded onClose={onClose} title={inbox.newTicket} form={form} onSubmit={submit} submit={inbox.newTicket}>
      <TextInput {...form.field('subject', inbox.subject)} maxLength={255} data-autofocus />
      <LongText {...form.field('description', terms.description)} rows={[3, 12]} maxLength={20_000} />
      <Group grow>
        <TextInput {...form.field('requesterName', inbox.requester)} maxLength={255} />
        <TextInput {...form.field('requesterEmail', terms.email)} type="email" maxLength={320} />
      </Group>
      <Group grow>
        <Choice {...form.field('priority', inbox.priority)} labels={inbox.priorities} />
        <Choice {...form.field('agentId', pages.agent)} searchable data={[...names].map(([value, label]) => ({ value, label }))} />
      </Group>
    </FormDialog>
  );
}
