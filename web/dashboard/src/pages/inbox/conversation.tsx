import { ActionIcon, Alert, Anchor, Group, Loader, Text } from '@mantine/core';
import { IconArrowLeft, IconThumbDown, IconThumbUp } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useMutation } from 'urql';
import { type ConversationsQuery, type MessagesQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useEvery, useQuery } from '../../graph/graph-hooks.ts';
import { ChatLog } from '../../parts/chat/chat-log.tsx';
import { MessageView } from '../../parts/chat/chat-message.tsx';
import { type MessagePart } from '../../parts/chat/tool-call-view.tsx';
import { Note, SmallAction, Tag } from '../../parts/elements.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { Failure, Loaded } from '../../parts/page-frame.tsx';
import { useAddress, useGo, useOrganization } from '../../session/organization-choice.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Approvals } from './approvals.tsx';
import classes from './conversations.module.css';
import { CONVERSATION, Conversation, HandoffButtons, Operator, useHandoff } from './handoff.tsx';
import { useAgentNames, useMailChannel } from './list-bar.tsx';
import { Teamwork } from './teamwork.tsx';
import { VisitorPage } from './visitor-page.tsx';

const TestFromReply = lazy(async () => ({ default: (await import('../../agents/test-from-reply.tsx')).TestFromReply }));

export const CONVERSATIONS = graphql(`
  query Conversations(
    $agentId: ID, $status: ConversationStatus, $handoffStatus: HandoffStatus, $rating: MessageRating, $search: String,
    $assignedToUserId: ID, $tag: String, $replies: RepliesFilter, $page: Int!, $limit: Int!
  ) {
    conversations(
      agentId: $agentId, status: $status, handoffStatus: $handoffStatus, rating: $rating, search: $search, channel: widget,
      assignedToUserId: $assignedToUserId, tag: $tag, replies: $replies, page: $page, limit: $limit
    ) {
      nodes {
        id agentId visitorId verified status handoffStatus lastMessageText lastMessageAt createdAt
        contact { id name email } assignedToName tags
        openHandoff { id status operatorName unseenMessages awayUntil }
      }
      pagination { total }
    }
  }
`);
export type ConversationRow = ConversationsQuery['conversations']['nodes'][number];

/** Seconds between reads of a conversation that its agent has. Handoffs are live. */
const INTERVAL = 4;

/** One conversation: its participants, its messages, and the operator's input. */
export function ConversationView({ id }: { id: string }) {
  const query = useQuery({ query: CONVERSATION, variables: { id } });
  const [{ data }, read] = query;
  const names = useAgentNames();
  const [version, setVersion] = useState(0);
  const refresh = () => {
    read({ requestPolicy: 'network-only' });
    setVersion((before) => before + 1);
  };
  useEvery(INTERVAL, () => {
    if (!data?.conversation.openHandoff) refresh();
  });
  const { isTyping, seenTo } = useHandoff(data?.conversation, refresh);
  return (
    <Loaded query={query}>
      {({ conversation }) => {
        const agentName = names.get(conversation.agentId) ?? '';
        return (
          <>
            <Header conversation={conversation} agentName={agentName} />
            <Teamwork conversation={conversation} />
            <VisitorPage conversation={conversation} />
            <Messages conversation={conversation} agentName={agentName} version={version} isTyping={isTyping} seenTo={seenTo} />
            <Approvals conversationId={conversation.id} />
            <Operator conversation={conversation} />
          </>
        );
      }}
    </Loaded>
  );
}

/** The name or address of a known visitor, or a short name of one who is unknown. Only a badge says that the site has signed it. */
export const visitorName = (visitor: string, { visitorId, contact }: Pick<ConversationRow, 'visitorId' | 'contact'>): string =>
  contact?.name || contact?.email || `${visitor} ${visitorId.replace('verified:', '').slice(0, 4)}`;

/** Shows that the site has signed who the visitor is. */
export function VerifiedBadge() {
  const { inbox } = useStrings();
  return <Tag label={inbox.verified} size="sm" color="teal" variant="light" title={inbox.verifiedHelp} />;
}
/** Shows whether the agent or an operator has the conversation. */
export function StateBadge({ conversation }: { conversation: Pick<ConversationRow, 'status' | 'openHandoff'> }) {
  const { inbox, terms } = useStrings();
  const { status, openHandoff } = conversation;
  if (openHandoff?.status === 'waiting') {
    return <Tag label={inbox.waits} size="sm" color="red" />;
  }
  if (openHandoff) {
    return <Tag label={openHandoff.operatorName} size="sm" color="teal" maw={160} />;
  }
  return <Tag label={status === 'closed' ? terms.closed : inbox.withAgent} size="sm" color="gray" />;
}

const SET_STATUS = graphql(`
  mutation SetConversationStatus($id: ID!, $status: ConversationStatus!) { setConversationStatus(id: $id, status: $status) { id status } }
`);
const DELETE = graphql(`mutation DeleteConversation($id: ID!) { deleteConversation(id: $id) { id } }`);

/** The participants of the conversation, and its actions. */
function Header({ conversation, agentName }: { conversation: Conversation; agentName: string }) {
  const { inbox, actions, formats } = useStrings();
  const address = useAddress();
  const { search } = useLocation();
  const { channel, createdAt, openHandoff, contact } = conversation;
  return (
    <>
      <Group className={classes.bar} justify="space-between" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <ActionIcon
            component={Link}
            to={`${address('inbox/conversations')}${search}`}
            variant="subtle"
            color="gray"
            className={classes.back}
            aria-label={actions.back}
          >
            <IconArrowLeft size={18} aria-hidden />
          </ActionIcon>
          <div>
            <Group gap="xs">
              <Text fw={600} component="h2">
                {channel === 'admin' ? inbox.playground : visitorName(inbox.visitor, conversation)}
              </Text>
              {conversation.verified && <VerifiedBadge />}
              <StateBadge conversation={conversation} />
            </Group>
            <Note size="xs">
              {[agentName, formats.time(createdAt)].filter(Boolean).join(' · ')}
              {contact && ' · '}
              {contact && (
                <Anchor component={Link} size="xs" underline="always" to={address(`inbox/contacts/${contact.id}`)}>
                  {contact.name || contact.email || inbox.contact}
                </Anchor>
              )}
            </Note>
          </div>
        </Group>
        <Group gap="xs">
          {channel === 'widget' && <HandoffButtons conversation={conversation} />}
          <More conversation={conversation} />
        </Group>
      </Group>
      {openHandoff?.status === 'waiting' && (
        <Alert color="red" variant="light" radius={0} p="xs" role="status">
          {inbox.requested(formats.ago(openHandoff.createdAt))}{' '}
          {openHandoff.awayUntil && inbox.outsideHoursUntil(formats.time(openHandoff.awayUntil))}{' '}
          {openHandoff.reason && `“${openHandoff.reason}”`}
        </Alert>
      )}
    </>
  );
}

const TRANSCRIPT = graphql(`mutation MailTranscript($id: ID!) { mailTranscript(conversationId: $id) { recipient status } }`);

function More({ conversation: { id, status, contact } }: { conversation: Conversation }) {
  const { inbox, actions } = useStrings();
  const { isAdmin } = useOrganization();
  const { go } = useGo();
  const [, setStatus] = useMutation(SET_STATUS);

  const { sends } = useMailChannel();
  const [mailTranscript] = useAction(TRANSCRIPT, { done: ({ mailTranscript: { recipient } }) => inbox.transcriptDone(recipient) });
  const [remove] = useAction(DELETE, {
    ask: { title: inbox.deleteTitle, text: inbox.deleteText, action: actions.delete },
    // The page of a deleted conversation would show an error, so leave it first.
    context: { keep: true },
    after: () => go('inbox/conversations'),
  });
  return (
    <MoreMenu label={actions.more}>
      <MenuAction
        label={status === 'open' ? inbox.closeConversation : inbox.reopen}
        onClick={() => setStatus({ id, status: status === 'open' ? 'closed' : 'open' })}
      />
      {sends && contact?.email && <MenuAction label={inbox.transcript(contact.email)} onClick={() => mailTranscript({ id })} />}
      {isAdmin && <MenuAction label={actions.delete} color="red" onClick={() => remove({ id })} />}
    </MoreMenu>
  );
}

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
function Messages({ conversation, agentName, version, isTyping, seenTo }: MessagesProps) {
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
      {isTested && (
        <Suspense>
          <TestFromReply agentId={agentId} messageId={message.id} onClose={() => setTested(false)} />
        </Suspense>
      )}
    </>
  );
}
