import { Pagination, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from '../../../graph/use-query.ts';
import { Loaded } from '../../../parts/states.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { TICKET_MESSAGES, type TicketMessage } from './documents.ts';

/** The replies and notes of a ticket, by page. */
export function TicketMessages({ id }: { id: string }) {
  const { inbox } = useStrings();
  const [page, setPage] = useState(1);
  const query = useQuery({ query: TICKET_MESSAGES, variables: { id, page } });
  return (
    <Loaded query={query}>
      {({ ticket: { messages } }) => (
        <>
          {messages.nodes.map((message) => (
            <Message key={message.id} message={message} />
          ))}
          {messages.pagination.totalPages > 1 && (
            <Pagination
              value={page}
              onChange={setPage}
              total={messages.pagination.totalPages}
              getItemProps={(item) => ({ 'aria-label': inbox.page(item) })}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

function Message({ message: { kind, authorName, text, createdAt } }: { message: TicketMessage }) {
  const { inbox } = useStrings();
  const formats = useFormats();
  return (
    <Paper
      withBorder
      p="sm"
      component="article"
      aria-label={`${inbox.messageKinds[kind]}: ${authorName}`}
      bg={kind === 'note' ? 'var(--mantine-color-yellow-light)' : undefined}
    >
      <Text size="xs" fw={600}>
        {authorName} · {inbox.messageKinds[kind]}
      </Text>
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <Text size="xs" c="dimmed">
        {formats.time(createdAt)}
      </Text>
    </Paper>
  );
}
