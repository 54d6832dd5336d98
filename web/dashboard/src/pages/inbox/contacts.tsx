import { Anchor, Group } from '@mantine/core';
import { IconAddressBook, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { ContactsQuery, LeadsQuery } from '../../../.graph/graphql.ts';
import { graphql, useEvery } from '../../graph/graph-hooks.ts';
import { useOlder, usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { PageLink } from '../../parts/elements.tsx';
import { Search } from '../../parts/forms-and-dialogs.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { ContactDrawer } from './contact-drawer.tsx';
import { AgentSelect, ListBar, mailLink, useExport } from './list-bar.tsx';

const CONTACTS = graphql(`
  query Contacts($page: Int!, $limit: Int!, $email: String) {
    contacts(page: $page, limit: $limit, email: $email) {
      nodes { id name email phone createdAt erasure { id } }
      pagination { total }
    }
  }
`);

type ContactRow = ContactsQuery['contacts']['nodes'][number];

/** The people who left leads or tickets, newest first. */
export function Contacts() {
  const { inbox, terms, formats } = useStrings();
  const { go } = useGo();
  const { id } = useParams();
  const [email, setEmail] = useState('');
  const rows = usePages(CONTACTS, { email: email.trim() || null }, ({ contacts }) => contacts);
  useEvery(30, () => rows.retry?.());
  const close = () => go('inbox/contacts');
  const leaveErased = () => {
    showDone(inbox.erased);
    close();
    rows.retry?.();
  };
  const columns: Column<ContactRow>[] = [
    {
      key: 'name',
      title: terms.name,
      cell: (contact) => (
        <PageLink
          to={`inbox/contacts/${contact.id}`}
          label={contact.erasure ? inbox.erasing : contact.name || contact.email || inbox.unknown}
        />
      ),
    },
    { key: 'email', title: terms.email, from: 'sm', cell: (contact) => contact.email },
    { key: 'phone', title: inbox.phone, from: 'md', cell: ({ phone }) => phone },
    { key: 'created', title: inbox.firstSeen, width: 150, cell: ({ createdAt }) => formats.ago(createdAt) },
  ];
  return (
    <>
      <Group mb="sm" gap="xs">
        <Search label={inbox.exactEmail} value={email} onSearch={setEmail} />
      </Group>
      <DataTable
        label={inbox.views.contacts}
        columns={columns}
        rows={rows}
        empty={{
          icon: IconUsers,
          title: email ? inbox.noMatches : inbox.noContacts,
          text: email ? undefined : inbox.noContactsText,
        }}
      />
      {id && <ContactDrawer key={id} id={id} onClose={close} onErased={leaveErased} />}
    </>
  );
}

const LEADS = graphql(`
  query Leads($agentId: ID, $email: String, $before: Since, $limit: ListLimit!) {
    leads(agentId: $agentId, email: $email, before: $before, limit: $limit) {
      id name email phone contactId conversationId agentName createdAt
    }
  }
`);
type Lead = LeadsQuery['leads'][number];

const pick = ({ leads }: LeadsQuery) => leads;

/** Visitors who left contact details. */
export function Leads() {
  const { inbox, terms, pages, actions, formats } = useStrings();
  const [agentId, setAgentId] = useState<string | null>(null);
  const [email, setEmail] = useState('');
  const variables = { agentId, email: email.trim() || null };
  const rows = useOlder(LEADS, variables, pick, ({ createdAt }) => createdAt);
  useEvery(30, () => rows.retry?.());
  const csv = useExport({ document: LEADS, variables, pick, name: 'leads', toRecord: recordOf });
  const columns: Column<Lead>[] = [
    {
      key: 'name',
      title: terms.name,
      cell: ({ name, contactId }) => <PageLink to={`inbox/contacts/${contactId}`} label={name || inbox.unknown} />,
    },
    {
      key: 'email',
      title: terms.email,
      cell: (lead) => lead.email && <Anchor href={mailLink(lead.email)}>{lead.email}</Anchor>,
    },
    { key: 'phone', title: inbox.phone, from: 'md', cell: ({ phone }) => phone },
    { key: 'agent', title: pages.agent, from: 'md', cell: ({ agentName }) => agentName },
    { key: 'created', title: terms.received, width: 150, from: 'sm', cell: ({ createdAt }) => formats.ago(createdAt) },
    {
      key: 'conversation',
      title: inbox.conversation,
      width: 130,
      from: 'sm',
      cell: ({ conversationId }) =>
        conversationId && <PageLink to={`inbox/conversations/${conversationId}`} label={actions.open} />,
    },
  ];
  return (
    <>
      <ListBar isExporting={csv.isRunning} isEmpty={!rows.count} onExport={csv.run}>
        <Search label={inbox.exactEmail} value={email} onSearch={setEmail} />
        <AgentSelect value={agentId} onChange={setAgentId} />
      </ListBar>
      <DataTable
        label={inbox.views.leads}
        columns={columns}
        rows={rows}
        empty={{
          icon: IconAddressBook,
          title: email || agentId ? inbox.noMatches : inbox.noLeads,
          text: email || agentId ? undefined : inbox.noLeadsText,
        }}
      />
    </>
  );
}

const recordOf = ({ id, name, email, phone, agentName, conversationId, createdAt }: Lead) => ({
  id,
  createdAt,
  name,
  email,
  phone,
  agent: agentName,
  conversationId,
});
