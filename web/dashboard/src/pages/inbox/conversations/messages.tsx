import { Button, Loader, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useQuery } from '../../../graph/use-query.ts';
import { ChatLog } from '../../../parts/chat/chat-log.tsx';
import { Failure } from '../../../parts/states.tsx';
import { useStrings } from '../../../strings/strings.tsx';
import { type Conversation, MESSAGES } from './documents.ts';
import { StoredMessage } from './stored-message.tsx';

/** Messages of one read. */
const SIZE = 50;

interface Props {
  conversation: Conversation;
  agentName: string;
  /** Changes when the messages may have changed. */
  version: number;
  isTyping: boolean;
  /** Position of the last message that the visitor has seen. */
  seenTo: number;
}

/** The messages of a conversation, the newest ones first in memory. Earlier ones are read on demand. */
export function Messages({ conversation, agentName, version, isTyping, seenTo }: Props) {
  const { inbox } = useStrings();
  const { id, messageCount } = conversation;
  const last = Math.max(1, Math.ceil(messageCount / SIZE));
  const [first, setFirst] = useState(Math.max(1, last - 1));
  const [loaded, setLoaded] = useState('');
  const pages = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return (
    <ChatLog label={inbox.messages} version={`${loaded} ${isTyping}`}>
      {first > 1 && (
        <Button variant="subtle" size="xs" onClick={() => setFirst(first - 1)}>
          {inbox.earlier}
        </Button>
      )}
      {pages.map((page) => (
        <MessagePage
          key={page}
          id={id}
          page={page}
          version={page >= last - 1 ? version : 0}
          agentName={agentName}
          seenTo={seenTo}
          onLoaded={page === last ? setLoaded : undefined}
        />
      ))}
      {isTyping && (
        <Text size="xs" c="dimmed" role="status">
          {inbox.typing} <Loader type="dots" size={14} component="span" display="inline-flex" aria-hidden />
        </Text>
      )}
    </ChatLog>
  );
}

interface PageProps {
  id: string;
  page: number;
  version: number;
  agentName: string;
  seenTo: number;
  onLoaded?(name: string): void;
}

function MessagePage({ id, page, version, agentName, seenTo, onLoaded }: PageProps) {
  const [{ data, error }, read] = useQuery({ query: MESSAGES, variables: { id, page, limit: SIZE } });
  useEffect(() => {
    if (version > 0) read({ requestPolicy: 'network-only' });
  }, [version, read]);
  const messages = data?.conversation.messages.nodes ?? [];
  const newest = messages.at(-1);
  const name = newest ? `${newest.id} ${newest.text.length}` : '';
  useEffect(() => onLoaded?.(name), [onLoaded, name]);
  if (!data && error) return <Failure error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  return messages.map((message) => (
    <StoredMessage key={message.id} message={message} agentName={agentName} isSeen={message.position <= seenTo} />
  ));
}
