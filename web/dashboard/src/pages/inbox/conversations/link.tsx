import { Badge, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useAddress } from '../../../session/organization.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import classes from './conversations.module.css';
import type { ConversationRow } from './documents.ts';

/** A short name of a visitor, who is unknown otherwise. */
export const visitorName = (visitor: string, visitorId: string): string => `${visitor} ${visitorId.slice(0, 4)}`;

interface Props {
  conversation: ConversationRow;
  agentName: string | undefined;
  isSelected: boolean;
  /** Position in the list, in pixels. */
  top: number;
}

/** One conversation of the list. */
export function ConversationLink({ conversation, agentName, isSelected, top }: Props) {
  const { inbox } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const { id, visitorId, lastMessageText, lastMessageAt, createdAt, openHandoff } = conversation;
  return (
    <Link
      to={address(`inbox/conversations/${id}`)}
      className={classes.row}
      style={{ top }}
      aria-current={isSelected ? 'true' : undefined}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={600} truncate>
          {visitorName(inbox.visitor, visitorId)}
        </Text>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {formats.ago(lastMessageAt ?? createdAt)}
        </Text>
      </Group>
      <Text size="sm" c="dimmed" truncate>
        {lastMessageText ?? inbox.noMessages}
      </Text>
      <Group gap={6} wrap="nowrap" mt={2}>
        <StateBadge conversation={conversation} />
        {(openHandoff?.unseenMessages ?? 0) > 0 && (
          <Badge size="sm" variant="filled">
            {inbox.unseen(openHandoff!.unseenMessages)}
          </Badge>
        )}
        <Text size="xs" c="dimmed" truncate>
          {agentName}
        </Text>
      </Group>
    </Link>
  );
}

/** Shows whether the agent or an operator has the conversation. */
export function StateBadge({ conversation }: { conversation: Pick<ConversationRow, 'status' | 'openHandoff'> }) {
  const { inbox } = useStrings();
  const { status, openHandoff } = conversation;
  if (openHandoff?.status === 'waiting') {
    return (
      <Badge size="sm" color="red" variant="light">
        {inbox.waits}
      </Badge>
    );
  }
  if (openHandoff) {
    return (
      <Badge size="sm" color="teal" variant="light" tt="none" maw={160}>
        {openHandoff.operatorName}
      </Badge>
    );
  }
  return (
    <Badge size="sm" color="gray" variant="light">
      {status === 'closed' ? inbox.closed : inbox.withAgent}
    </Badge>
  );
}
