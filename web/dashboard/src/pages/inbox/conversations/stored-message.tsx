import { Badge, Group, Loader, Text } from '@mantine/core';
import { IconThumbDown, IconThumbUp } from '@tabler/icons-react';
import type { MessagePart } from '../../../parts/chat/message-part.ts';
import { MessageView } from '../../../parts/chat/message-view.tsx';
import { useFormats, useStrings } from '../../../strings/strings.tsx';
import type { Message } from './documents.ts';

interface Props {
  message: Message;
  agentName: string;
  /** The visitor has seen it. */
  isSeen: boolean;
}

/** A stored message. Messages of visitors are aligned to the left, those of the agent and of operators to the right. */
export function StoredMessage({ message, agentName, isSeen }: Props) {
  const { inbox, chat } = useStrings();
  const { role, authorName } = message;
  const author = role === 'user' ? inbox.visitor : role === 'operator' ? (authorName ?? inbox.operator) : agentName || inbox.agent;
  return (
    <MessageView
      author={author}
      parts={message.parts as MessagePart[]}
      isOwn={role !== 'user'}
      isPlain={role !== 'assistant'}
      details={
        message.status === 'running' ? (
          <Loader type="dots" size="xs" role="status" aria-label={chat.running} />
        ) : (
          <Details message={message} isSeen={isSeen} />
        )
      }
    />
  );
}

function Details({ message, isSeen }: { message: Message; isSeen: boolean }) {
  const { inbox, agents } = useStrings();
  const formats = useFormats();
  const { role, createdAt, credits, rating, ratingComment, unanswered, unsupported, replaced, error } = message;
  return (
    <>
      {unsupported.length > 0 && (
        <Text size="xs" c="orange.9">
          {inbox.unsupported}: {unsupported.join(' ')}
        </Text>
      )}
      {error && (
        <Text size="xs" c="red">
          {error}
        </Text>
      )}
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          {[
            formats.time(createdAt),
            credits > 0 && inbox.credits(credits, formats.credits(credits)),
            role === 'operator' && isSeen && inbox.seen,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
        {unanswered && (
          <Badge size="xs" color="yellow" variant="light">
            {agents.unanswered}
          </Badge>
        )}
        {replaced && (
          <Badge size="xs" color="gray" variant="light">
            {inbox.replaced}
          </Badge>
        )}
        {rating === 'up' && <IconThumbUp size={14} aria-label={inbox.liked} />}
        {rating === 'down' && <IconThumbDown size={14} aria-label={inbox.disliked} />}
        {ratingComment && <Text size="xs">“{ratingComment}”</Text>}
      </Group>
    </>
  );
}
