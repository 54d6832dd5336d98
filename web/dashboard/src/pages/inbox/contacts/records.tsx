import { Anchor, Badge, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from '../../../graph/use-query.ts';
import { Loaded } from '../../../parts/states.tsx';
import { useAddress } from '../../../session/organization.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { StatusBadge } from '../tickets/status.tsx';
import { CONTACT_CONVERSATIONS, CONTACT_LEADS, CONTACT_TICKETS } from './documents.ts';
import { RecordList } from './record-list.tsx';

/** The conversations of a contact, newest first. */
export function Conversations({ id }: { id: string }) {
  const { inbox } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: CONTACT_CONVERSATIONS, variables: { id, page } });
  return (
    <Loaded query={query}>
      {({ contact: { conversations } }) => (
        <RecordList title={inbox.views.conversations} page={page} pagination={conversations.pagination} onPage={setPage}>
          {conversations.nodes.map(({ id: conversationId, status, lastMessageText, lastMessageAt, createdAt }) => (
            <Group key={conversationId} component="li" justify="space-between" gap="xs" wrap="nowrap">
              <Anchor component={Link} size="sm" truncate to={address(`inbox/conversations/${conversationId}`)}>
                {lastMessageText || inbox.noMessages}
              </Anchor>
              <Group gap="xs" wrap="nowrap" flex="none">
                <Text size="xs" c="dimmed">
                  {formats.ago(lastMessageAt ?? createdAt)}
                </Text>
                <Badge size="sm" variant="light" color={status === 'open' ? 'teal' : 'gray'}>
                  {inbox.filters[status]}
                </Badge>
              </Group>
            </Group>
          ))}
        </RecordList>
      )}
    </Loaded>
  );
}

/** The tickets of a contact, newest first. */
export function Tickets({ id }: { id: string }) {
  const { inbox } = useStrings();
  const address = useAddress();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: CONTACT_TICKETS, variables: { id, page } });
  return (
    <Loaded query={query}>
      {({ contact: { tickets } }) => (
        <RecordList title={inbox.views.tickets} page={page} pagination={tickets.pagination} onPage={setPage}>
          {tickets.nodes.map(({ id: ticketId, ticketNumber, subject, status }) => (
            <Group key={ticketId} component="li" justify="space-between" gap="xs" wrap="nowrap">
              <Anchor component={Link} size="sm" truncate to={address(`inbox/tickets/${ticketId}`)}>
                {ticketNumber} · {subject}
              </Anchor>
              <StatusBadge status={status} />
            </Group>
          ))}
        </RecordList>
      )}
    </Loaded>
  );
}

/** The leads of a contact, newest first. */
export function Leads({ id }: { id: string }) {
  const { inbox } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: CONTACT_LEADS, variables: { id, page } });
  return (
    <Loaded query={query}>
      {({ contact: { leads } }) => (
        <RecordList title={inbox.views.leads} page={page} pagination={leads.pagination} onPage={setPage}>
          {leads.nodes.map(({ id: leadId, name, phone, agentName, conversationId, createdAt }) => (
            <Group key={leadId} component="li" justify="space-between" gap="xs" wrap="nowrap">
              <Text size="sm" truncate>
                {[name, phone, agentName, formats.ago(createdAt)].filter(Boolean).join(' · ')}
              </Text>
              {conversationId && (
                <Anchor component={Link} size="sm" flex="none" to={address(`inbox/conversations/${conversationId}`)}>
                  {inbox.openConversation}
                </Anchor>
              )}
            </Group>
          ))}
        </RecordList>
      )}
    </Loaded>
  );
}
