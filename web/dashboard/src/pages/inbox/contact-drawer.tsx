import { Alert, Anchor, Group, Loader, Stack, Text } from '@mantine/core';
import { IconDownload, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { type Client, type CombinedError, type OperationResult, type TypedDocumentNode, useClient } from 'urql';
import type { ContactQuery, ExportContactQuery } from '../../../.graph/graphql.ts';
import { graphql, useButton, useEvery, useQuery } from '../../graph/graph-hooks.ts';
import { Note, PageLink, SmallAction, Tag } from '../../parts/elements.tsx';
import { Drawer } from '../../parts/forms-and-dialogs.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { PageChoice } from '../../parts/page-choice.tsx';
import { Loaded, Section, useSentence } from '../../parts/page-frame.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { mailLink } from './list-bar.tsx';
import { StatusBadge } from './ticket-drawer.tsx';

const CONTACT = graphql(`query Contact($id: ID!) { contact(id: $id) { id name email phone createdAt erasure { id } } }`);
type Contact = ContactQuery['contact'];

/** One contact, with its leads, tickets and conversations. */
export function ContactDrawer({ id, onClose, onErased }: { id: string; onClose(): void; onErased(): void }) {
  const { inbox } = useStrings();
  const { isAdmin } = useOrganization();
  const query = useQuery({ query: CONTACT, variables: { id } });
  const contact = query[0].data?.contact;
  // The contact may be deleted before it is read again, so its drawer follows the erasure that it began.
  const [hasBegun, setBegun] = useState(false);
  if (hasBegun) {
    return (
      <Drawer onClose={onClose} size="lg" title={inbox.contact}>
        <Erasure id={id} onDone={onErased} />
      </Drawer>
    );
  }
  return (
    <Drawer onClose={onClose} size="lg" title={contact?.name || contact?.email || inbox.contact}>
      <Loaded query={query}>
        {({ contact: loaded }) =>
          loaded.erasure ? (
            isAdmin ? (
              <Erasure id={id} onDone={onErased} />
            ) : (
              <Text>{inbox.erasing}</Text>
            )
          ) : (
            <Stack gap="lg">
              <Facts contact={loaded} />
              {isAdmin && <PersonalData contact={loaded} onErase={() => setBegun(true)} />}
              <History id={id} />
            </Stack>
          )
        }
      </Loaded>
    </Drawer>
  );
}

function Facts({ contact: { email, phone, createdAt } }: { contact: Contact }) {
  const { inbox, formats } = useStrings();
  return (
    <Stack gap={4}>
      {email && (
        <Anchor href={mailLink(email)} style={{ overflowWrap: 'anywhere' }}>
          {email}
        </Anchor>
      )}
      {phone && <Anchor href={`tel:${phone.replace(/[^+\d]/g, '')}`}>{phone}</Anchor>}
      <Note>
        {inbox.firstSeen}: {formats.time(createdAt)}
      </Note>
    </Stack>
  );
}

const EXPORT = graphql(
  `query ExportContact($id: ID!, $after: String) { exportContact(id: $id, after: $after) { records endCursor } }`,
);
const ERASE = graphql(`mutation EraseContact($id: ID!) { eraseContact(id: $id) { id completedAt } }`);

/** Lets an admin download all stored data of a contact, or erase the contact. */
function PersonalData({ contact: { id, name, email }, onErase }: { contact: Contact; onErase(): void }) {
  const { inbox, actions } = useStrings();
  const client = useClient();
  const sentence = useSentence();
  const [isSaving, setSaving] = useState(false);
  const title = inbox.eraseTitle(name || email || inbox.unknown);
  const ask = { title, text: inbox.eraseText, action: inbox.erase };
  const erase = useButton(ERASE, { ask, after: onErase });

  async function save() {
    setSaving(true);
    try {
      await saveExport(client, id);
    } catch (error) {
      showProblem(sentence(error as CombinedError));
    } finally {
      setSaving(false);
    }
  }
  return (
    <Group gap="xs">
      <SmallAction label={actions.export} loading={isSaving} onClick={save} leftSection={<IconDownload size={16} aria-hidden />} />
      <SmallAction
        label={inbox.eraseContact}
        variant="light"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        {...erase({ id })}
      />
    </Group>
  );
}

/** Save the records of a contact as a JSON file, one part after the other. */
async function saveExport(client: Client, id: string): Promise<void> {
  const texts: string[] = [];
  let after: string | null | undefined;
  do {
    const read = client.query(EXPORT, { id, after }, { requestPolicy: 'network-only' });
    const { data, error }: OperationResult<ExportContactQuery> = await read.toPromise();
    if (!data) throw error;
    texts.push(...data.exportContact.records.map((record) => JSON.stringify(record, null, 2)));
    after = data.exportContact.endCursor;
  } while (after);
  const separated = texts.flatMap((text, index) => (index === 0 ? [text] : [',\n', text]));
  saveFile(`contact-${id}.json`, ['[', ...separated, ']\n'], 'application/json');
}

const ERASURE = graphql(`
  query ContactErasure($id: ID!) {
    contactErasure(contactId: $id) { id conversations messages leads submissions tickets completedAt }
  }
`);

function Erasure({ id, onDone }: { id: string; onDone(): void }) {
  const { inbox, formats } = useStrings();
  const [{ data }, read] = useQuery({ query: ERASURE, variables: { id } });
  useEvery(2, () => read({ requestPolicy: 'network-only' }));
  const erasure = data?.contactErasure;
  const isDone = Boolean(erasure?.completedAt);
  const end = useEffectEvent(onDone);
  useEffect(() => {
    if (isDone) end();
  }, [isDone]);
  const counts = (['conversations', 'messages', 'tickets', 'leads', 'submissions'] as const)
    .filter((kind) => erasure?.[kind])
    .map((kind) => `${inbox.erasedKinds[kind]}: ${formats.number(erasure![kind])}`);
  return (
    <Alert color="red" variant="light" role="status" icon={<Loader size={18} color="red" />} title={inbox.erasing}>
      <Stack gap={4}>
        <Text>{inbox.erasingText}</Text>
        {counts.length > 0 && <Text>{counts.join(' · ')}</Text>}
      </Stack>
    </Alert>
  );
}

const CONTACT_LEADS = graphql(`
  query ContactLeads($id: ID!, $page: Int!) {
    contact(id: $id) {
      id
      leads(page: $page, limit: 10) {
        nodes { id name phone agentName conversationId createdAt }
        pagination { total totalPages }
      }
    }
  }
`);
const CONTACT_TICKETS = graphql(`
  query ContactTickets($id: ID!, $page: Int!) {
    contact(id: $id) {
      id
      tickets(page: $page, limit: 10) { nodes { id ticketNumber subject status createdAt } pagination { total totalPages } }
    }
  }
`);
const CONTACT_CONVERSATIONS = graphql(`
  query ContactConversations($id: ID!, $page: Int!) {
    contact(id: $id) {
      id
      conversations(page: $page, limit: 10) {
        nodes { id status lastMessageText lastMessageAt createdAt }
        pagination { total totalPages }
      }
    }
  }
`);

function History({ id }: { id: string }) {
  const { inbox, actions, formats } = useStrings();
  return (
    <>
      <Records id={id} title={inbox.views.conversations} document={CONTACT_CONVERSATIONS} pick={(contact) => contact.conversations}>
        {({ id: conversationId, status, lastMessageText, lastMessageAt, createdAt }) => (
          <>
            <PageLink to={`inbox/conversations/${conversationId}`} label={lastMessageText || inbox.noMessages} truncate />
            <Group gap="xs" wrap="nowrap" flex="none">
              <Note size="xs">{formats.ago(lastMessageAt ?? createdAt)}</Note>
              <Tag label={inbox.filters[status]} size="sm" color={status === 'open' ? 'teal' : 'gray'} />
            </Group>
          </>
        )}
      </Records>
      <Records id={id} title={inbox.views.tickets} document={CONTACT_TICKETS} pick={(contact) => contact.tickets}>
        {({ id: ticketId, ticketNumber, subject, status }) => (
          <>
            <PageLink to={`inbox/tickets/${ticketId}`} label={`${ticketNumber} · ${subject}`} truncate />
            <StatusBadge status={status} />
          </>
        )}
      </Records>
      <Records id={id} title={inbox.views.leads} document={CONTACT_LEADS} pick={(contact) => contact.leads}>
        {({ name, phone, agentName, conversationId, createdAt }) => (
          <>
            <Text truncate>{[name, phone, agentName, formats.ago(createdAt)].filter(Boolean).join(' · ')}</Text>
            {conversationId && (
              <PageLink to={`inbox/conversations/${conversationId}`} label={actions.openConversation} flex="none" />
            )}
          </>
        )}
      </Records>
    </>
  );
}

interface RecordsProps<Contact, Row> {
  id: string;
  title: string;
  document: TypedDocumentNode<{ contact: Contact }, { id: string; page: number }>;
  pick(contact: Contact): { nodes: Row[]; pagination: { total: number; totalPages: number } };
  /** The content of one record. */
  children(row: Row): ReactNode;
}

/** The records of one kind, by page, with their number. */
function Records<Contact, Row extends { id: string }>({ id, title, document, pick, children }: RecordsProps<Contact, Row>) {
  const { terms, formats } = useStrings();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: document, variables: { id, page } });
  return (
    <Loaded query={query}>
      {({ contact }) => {
        const { nodes, pagination } = pick(contact);
        return (
          <Section title={`${title} (${formats.number(pagination.total)})`}>
            {pagination.total === 0 ? (
              <Note>{terms.none}</Note>
            ) : (
              <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
                {nodes.map((row) => (
                  <Group key={row.id} component="li" justify="space-between" gap="xs" wrap="nowrap">
                    {children(row)}
                  </Group>
                ))}
              </Stack>
            )}
            <PageChoice mt="sm" size="sm" page={page} totalPages={pagination.totalPages} onPage={setPage} />
          </Section>
        );
      }}
    </Loaded>
  );
}
