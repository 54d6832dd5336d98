import { ActionIcon, Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { IconArrowLeft, IconShieldQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'react-router';
import { useMutation } from 'urql';
import type { ConversationsQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useEvery, useQuery } from '../../graph/graph-hooks.ts';
import { useHandoffQueue } from '../../layout/overview.tsx';
import { Action, Note, PageLink, SmallAction, Tag } from '../../parts/elements.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { Loaded } from '../../parts/page-frame.tsx';
import { useAddress, useGo, useOrganization } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { Messages } from './conversation-messages.tsx';
import classes from './conversations.module.css';
import { CONVERSATION, Conversation, HandoffButtons, Operator, useHandoff } from './handoff.tsx';
import { useAgentNames, useMailChannel } from './list-bar.tsx';
import { Teamwork } from './teamwork.tsx';

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
  // Handoffs are live.
  useEvery(4, () => {
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

/** The page on which the visitor wrote, as text: a visitor can change what a page says about itself, also into a link. */
function VisitorPage({ conversation: { pageContext } }: { conversation: Conversation }) {
  const { inbox } = useStrings();
  const entries = Object.entries((pageContext ?? {}) as Record<string, unknown>);
  if (entries.length === 0) return null;
  return (
    <section className={classes.page} aria-label={inbox.page} title={inbox.pageHelp}>
      <Note size="xs">{inbox.page}</Note>
      <dl>
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd dir="auto">{String(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const DECIDE = graphql(
  `mutation DecideApproval($id: ID!, $approved: Boolean!) { decideApproval(id: $id, approved: $approved) { id status } }`,
);

/** The calls of tools that wait for the team, of one conversation or of all. They appear and disappear at once. */
export function Approvals({ conversationId }: { conversationId?: string }) {
  const { inbox, formats } = useStrings();
  const [deciding, decide] = useMutation(DECIDE);
  const waiting = useHandoffQueue()?.approvals.filter((each) => !conversationId || each.conversationId === conversationId) ?? [];
  if (waiting.length === 0) return null;
  return (
    <Stack gap="xs" p="xs" role="status">
      {waiting.map(({ id, text, request, expiresAt, conversationId: of }) => (
        <Alert key={id} color="yellow" variant="light" icon={<IconShieldQuestion aria-hidden />} title={inbox.approvalTitle}>
          <Text style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{text}</Text>
          <Note size="xs">
            {request.method} {request.url} · {inbox.approvalUntil(formats.time(expiresAt))}
          </Note>
          {!conversationId && <PageLink to={`inbox/conversations/${of}`} label={inbox.conversation} />}
          <Group gap="xs" mt="xs">
            <Action
              label={inbox.approve}
              size="xs"
              of={text}
              loading={deciding.fetching}
              onClick={() => decide({ id, approved: true })}
            />
            <SmallAction
              label={inbox.refuse}
              of={text}
              disabled={deciding.fetching}
              onClick={() => decide({ id, approved: false })}
            />
          </Group>
        </Alert>
      ))}
    </Stack>
  );
}
