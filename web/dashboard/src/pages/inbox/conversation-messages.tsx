import { Anchor, Group, Loader, Text } from '@mantine/core';
import { IconThumbDown, IconThumbUp } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { MessagesQuery } from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { ChatLog } from '../../parts/chat/chat-log.tsx';
import { MessageView } from '../../parts/chat/chat-message.tsx';
import type { MessagePart } from '../../parts/chat/tool-call-view.tsx';
import { Note, SmallAction, Tag } from '../../parts/elements.tsx';
import { Failure, onDemand } from '../../parts/page-frame.tsx';
import { useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import type { Conversation } from './handoff.tsx';

const TestFromReply = onDemand(async () => (await import('../../agents/agent-tests.tsx')).TestFromReply);

const MESSAGES = graphql(`
  query Messages($id: ID!, $page: Int!, $limit: Int!) {
    conversation(id: $id) {
      id
      messages(page: $page, limit: $limit) {
        nodes {
          id position role text parts status error unanswered unsupported replaced authorName rating ratingComment credits createdAt
        }
      }
    }
  }
`);
type Message = MessagesQuery['conversation']['messages']['nodes'][number];

/** Messages of one read. */
const SIZE = 50;

interface MessagesProps {
  conversation: Conversation;
  agentName: string;
  /** Changes when the messages may have changed. */
  version: number;
  isTyping: boolean;
  /** Position of the last message that the visitor has seen. */
  seenTo: number;
}

/** The messages of a conversation, the newest ones first in memory. Earlier ones are read on demand. */
export function Messages({ conversation, agentName, version, isTyping, seenTo }: MessagesProps) {
  const { inbox } = useStrings();
  const { id, messageCount } = conversation;
  const last = Math.max(1, Math.ceil(messageCount / SIZE));
  const [first, setFirst] = useState(Math.max(1, last - 1));
  const [loaded, setLoaded] = useState('');
  const pages = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <ChatLog label={inbox.messages} version={`${loaded} ${isTyping}`}>
      {first > 1 && <SmallAction label={inbox.earlier} variant="subtle" onClick={() => setFirst(first - 1)} />}
      {pages.map((page) => (
        <MessagePage
          key={page}
          id={id}
          page={page}
          version={page >= last - 1 ? version : 0}
          agentId={conversation.agentId}
          agentName={agentName}
          seenTo={seenTo}
          onLoaded={setLoaded}
        />
      ))}
      {isTyping && (
        <Note size="xs" role="status">
          {inbox.typing} <Loader type="dots" size={14} component="span" display="inline-flex" aria-hidden />
        </Note>
      )}
    </ChatLog>
  );
}

interface PageProps {
  id: string;
  page: number;
  version: number;
  agentId: string;
  agentName: string;
  seenTo: number;
  /** Called with a name of the page when its messages have changed. */
  onLoaded(name: string): void;
}

function MessagePage({ id, page, version, agentId, agentName, seenTo, onLoaded }: PageProps) {
  const [{ data, error }, read] = useQuery({ query: MESSAGES, variables: { id, page, limit: SIZE } });
  useEffect(() => {
    if (version > 0) read({ requestPolicy: 'network-only' });
  }, [version, read]);
  const messages = data?.conversation.messages.nodes ?? [];
  const newest = messages.at(-1);
  const name = newest ? `${newest.id} ${newest.text.length}` : '';
  useEffect(() => onLoaded(name), [onLoaded, name]);
  if (!data && error) return <Failure error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  return messages.map((message) => (
    <StoredMessage key={message.id} message={message} agentId={agentId} agentName={agentName} isSeen={message.position <= seenTo} />
  ));
}

interface StoredMessageProps {
  message: Message;
  agentId: string;
  agentName: string;
  /** The visitor has seen it. */
  isSeen: boolean;
}

/** A stored message. Messages of visitors are aligned to the left, those of the agent and of operators to the right. */
function StoredMessage({ message, agentId, agentName, isSeen }: StoredMessageProps) {
  const { inbox, chat, pages } = useStrings();
  const { role, authorName } = message;
  const author = role === 'user' ? inbox.visitor : role === 'operator' ? (authorName ?? inbox.operator) : agentName || pages.agent;
  return (
    <MessageView
      author={author}
      parts={message.parts as MessagePart[]}
      isOwn={role !== 'user'}
      side={role === 'operator' ? 'operator' : role === 'assistant' ? 'assistant' : undefined}
      isPlain={role !== 'assistant'}
      details={
        message.status === 'running' ? (
          <Loader type="dots" size="xs" role="status" aria-label={chat.running} />
        ) : (
          <Details message={message} agentId={agentId} isSeen={isSeen} />
        )
      }
    />
  );
}

function Details({ message, agentId, isSeen }: Omit<StoredMessageProps, 'agentName'>) {
  const { inbox, tests, terms, formats } = useStrings();
  const { isAdmin } = useOrganization();
  const [isTested, setTested] = useState(false);
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
        <Note size="xs">
          {[
            formats.time(createdAt),
            credits > 0 && inbox.credits(credits, formats.credits(credits)),
            role === 'operator' && isSeen && inbox.seen,
          ]
            .filter(Boolean)
            .join(' · ')}
        </Note>
        {unanswered && <Tag label={terms.unanswered} size="xs" color="yellow" />}
        {replaced && <Tag label={inbox.replaced} size="xs" color="gray" />}
        {rating === 'up' && <IconThumbUp size={14} aria-label={terms.ratedUp} />}
        {rating === 'down' && <IconThumbDown size={14} aria-label={terms.ratedDown} />}
        {ratingComment && <Text size="xs">“{ratingComment}”</Text>}
        {isAdmin && role === 'assistant' && (
          <Anchor component="button" type="button" size="xs" onClick={() => setTested(true)}>
            {tests.make}
          </Anchor>
        )}
      </Group>
      {isTested && <TestFromReply agentId={agentId} messageId={message.id} onClose={() => setTested(false)} />}
    </>
  );
}
