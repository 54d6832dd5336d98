import { Group } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import type { ContactsQuery } from '../../../.graph/graphql.ts';
import { graphql, useEvery } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { PageLink } from '../../parts/elements.tsx';
import { Search } from '../../parts/forms-and-dialogs.tsx';
import { showDone } from '../../parts/overlays.tsx';
import { Empty } from '../../parts/page-frame.tsx';
import { useGo } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { ContactDrawer } from './contact-drawer.tsx';

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
export function View() {
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
        empty={
          <Empty
            icon={IconUsers}
            title={email ? inbox.noMatches : inbox.noContacts}
            text={email ? undefined : inbox.noContactsText}
          />
        }
      />
      {id && <ContactDrawer key={id} id={id} onClose={close} onErased={leaveErased} />}
    </>
  );
}
