import { Anchor, Group, Paper, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useQuery } from '../../../graph/use-query.ts';
import { Drawer } from '../../../parts/dialog.tsx';
import { mailLink } from '../../../parts/mail-link.ts';
import { Loaded } from '../../../parts/states.tsx';
import { useAddress } from '../../../session/organization.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import { TICKET, type Ticket } from './documents.ts';
import { StatusBadge } from './status.tsx';
import { TicketActions } from './ticket-actions.tsx';
import { TicketMessages } from './ticket-messages.tsx';
import { TicketWriter } from './ticket-writer.tsx';

/** One ticket, with its replies and notes. */
export function TicketDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const { inbox } = useStrings();
  const query = useQuery({ query: TICKET, variables: { id } });
  const ticket = query[0].data?.ticket;
  return (
    <Drawer
      onClose={onClose}
      position="right"
      size="xl"
      title={ticket ? `${ticket.ticketNumber} · ${ticket.subject}` : inbox.ticket}
    >
      <Loaded query={query}>
        {({ ticket: loaded }) => (
          <Stack>
            <Facts ticket={loaded} />
            <TicketActions ticket={loaded} />
            <Paper withBorder p="sm">
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {loaded.description}
              </Text>
            </Paper>
            {loaded.conversationSummary && (
              <Paper withBorder p="sm">
                <Text size="xs" fw={600}>
                  {inbox.summary}
                </Text>
                <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
                  {loaded.conversationSummary}
                </Text>
              </Paper>
            )}
            <TicketMessages id={id} />
            <TicketWriter ticket={loaded} />
          </Stack>
        )}
      </Loaded>
    </Drawer>
  );
}

function Facts({ ticket }: { ticket: Ticket }) {
  const { inbox } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { status, priority, category, requesterName, requesterEmail, createdAt, agentName } = ticket;
  const { conversationId, mergedIntoId, contactId } = ticket;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <StatusBadge status={status} />
        <Text size="sm">{[inbox.priorities[priority], category, agentName].filter(Boolean).join(' · ')}</Text>
      </Group>
      <Text size="sm">
        {inbox.requester}: {requesterName ?? inbox.unknown}{' '}
        {requesterEmail && (
          <Anchor href={mailLink(requesterEmail)} size="sm" underline="always">
            {requesterEmail}
          </Anchor>
        )}
      </Text>
      <Text size="sm" c="dimmed">
        {formats.time(createdAt)}
      </Text>
      {conversationId && (
        <Anchor component={Link} size="sm" to={address(`inbox/conversations/${conversationId}`)}>
          {inbox.openConversation}
        </Anchor>
      )}
      {contactId && (
        <Anchor component={Link} size="sm" to={address(`inbox/contacts/${contactId}`)}>
          {inbox.showContact}
        </Anchor>
      )}
      {mergedIntoId && (
        <Anchor component={Link} size="sm" to={address(`inbox/tickets/${mergedIntoId}`)}>
          {inbox.mergedInto}
        </Anchor>
      )}
    </Stack>
  );
}
