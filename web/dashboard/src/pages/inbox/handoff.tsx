import { Tooltip } from '@mantine/core';
import { useDebouncedCallback, useThrottledCallback } from '@mantine/hooks';
import { IconArrowBackUp, IconHandStop, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useMutation } from 'urql';
import type { ConversationQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction, useButton, useLive, useQuery } from '../../graph/graph-hooks.ts';
import { Composer, type Snippet } from '../../parts/chat/chat-log.tsx';
import { Action, SmallAction } from '../../parts/elements.tsx';
import { useOrganization, useSession } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import classes from './conversations.module.css';

export const CONVERSATION = graphql(`
  query Conversation($id: ID!) {
    conversation(id: $id) {
      id agentId visitorId verified channel status handoffStatus messageCount createdAt lastMessageAt pageContext
      contact { id name email } assignedToUserId assignedToName tags notes(page: 1, limit: 1) { pagination { total } }
      openHandoff { id status operatorId operatorName reason requestedBy unseenMessages awayUntil createdAt }
    }
  }
`);
export type Conversation = ConversationQuery['conversation'];

const TAKE_OVER = graphql(`
  mutation TakeOver($conversationId: ID!, $force: Boolean! = false) {
    takeOverConversation(conversationId: $conversationId, force: $force) { id status operatorId operatorName }
  }
`);
const RETURN = graphql(`mutation ReturnHandoff($id: ID!) { returnHandoff(id: $id) { id status } }`);
const CLOSE = graphql(`mutation CloseHandoff($id: ID!) { closeHandoff(id: $id) { id status } }`);

/** Take a conversation over, give it back to the agent, or close it. */
export function HandoffButtons({ conversation: { id, openHandoff } }: { conversation: Conversation }) {
  const { inbox, actions } = useStrings();
  const { user } = useSession();
  const { organization } = useOrganization();
  const [takeOver, isTaking] = useAction(TAKE_OVER);
  const giveBack = useButton(RETURN);
  const close = useButton(CLOSE);
  const colleague = openHandoff?.status === 'active' && openHandoff.operatorId !== user.id ? openHandoff.operatorName : undefined;
  const isMine = openHandoff?.status === 'active' && !colleague;
  const hasHelpdesk = organization.modules.includes('helpdesk');

  function take() {
    if (!colleague) return takeOver({ conversationId: id });
    const question = { title: inbox.takeFromTitle(colleague), text: inbox.takeFromText, action: inbox.takeOver, danger: false };
    return takeOver({ conversationId: id, force: true }, question);
  }
  return (
    <>
      {!isMine && (
        <Tooltip label={inbox.needsHelpdesk} disabled={hasHelpdesk}>
          <Action
            label={inbox.takeOver}
            size="xs"
            variant={openHandoff?.status === 'waiting' ? 'filled' : 'light'}
            disabled={!hasHelpdesk}
            loading={isTaking}
            icon={IconHandStop}
            onClick={take}
          />
        </Tooltip>
      )}
      {openHandoff && (
        <>
          {openHandoff.status === 'active' && (
            <SmallAction label={inbox.handBack} icon={IconArrowBackUp} {...giveBack({ id: openHandoff.id })} />
          )}
          <SmallAction label={actions.close} icon={IconX} {...close({ id: openHandoff.id })} />
        </>
      )}
    </>
  );
}

const SEND = graphql(`
  mutation SendOperatorMessage($id: ID!, $text: String!, $clientId: String!) {
    sendOperatorMessage(id: $id, text: $text, clientId: $clientId) { id }
  }
`);
const TYPING = graphql(`mutation SetOperatorTyping($id: ID!) { setOperatorTyping(id: $id) }`);
const SEEN = graphql(`mutation SetOperatorSeen($id: ID!, $position: Int!) { setOperatorSeen(id: $id, position: $position) }`);

/** Milliseconds between typing events. */
const TYPING_INTERVAL = 3_000;

/** The input of the operator who has the conversation. It also tells the visitor what was seen, and that the operator types. */
export function Operator({ conversation: { openHandoff, messageCount, contact } }: { conversation: Conversation }) {
  const { inbox, chat } = useStrings();
  const { user } = useSession();
  const replies = useCannedReplies(contact?.name);
  const [, send] = useMutation(SEND);
  const [, setTyping] = useMutation(TYPING);
  const [, setSeen] = useMutation(SEEN);
  const id = openHandoff?.status === 'active' && openHandoff.operatorId === user.id ? openHandoff.id : undefined;
  const showTyping = useThrottledCallback(() => void (id && setTyping({ id }, { keep: true })), TYPING_INTERVAL);
  const failed = useRef({ text: '', clientId: '' });

  useEffect(() => {
    if (id && messageCount > 0) void setSeen({ id, position: messageCount }, { keep: true });
  }, [id, messageCount, setSeen]);

  async function submit(text: string): Promise<boolean> {
    // The same id makes a second attempt with this text a retry.
    const clientId = failed.current.text === text ? failed.current.clientId : crypto.randomUUID();
    const { error } = await send({ id: id!, text, clientId });
    failed.current = error ? { text, clientId } : { text: '', clientId: '' };
    return !error;
  }
  if (!id) return null;
  return (
    <div className={classes.foot}>
      <Composer
        label={inbox.answer}
        placeholder={replies.length > 0 ? inbox.canned.placeholder(inbox.answer) : inbox.answer}
        action={chat.send}
        onSend={submit}
        onTyping={showTyping}
        snippets={replies}
      />
    </div>
  );
}

const HANDOFF_EVENTS = graphql(`
  subscription HandoffEvents($conversationId: ID!, $after: Int! = 0) {
    handoffEvents(conversationId: $conversationId, after: $after) { sequence type status party seenTo createdAt }
  }
`);

/** Milliseconds for which a typing event counts. */
const TYPING_TIME = 5_000;
/** Milliseconds in which events are collected before the conversation is read again. */
const PAUSE = 150;

/** Follow the events of a conversation while it has an open handoff: whether the visitor types, and what the visitor has seen. */
export function useHandoff(conversation: Conversation | undefined, onChange: () => void) {
  const [typingUntil, setTypingUntil] = useState(0);
  const [seenTo, setSeenTo] = useState(0);
  const refresh = useDebouncedCallback(onChange, PAUSE);
  const conversationId = conversation?.openHandoff ? conversation.id : undefined;

  useLive(HANDOFF_EVENTS, conversationId ? { conversationId } : null, ({ handoffEvents }) => {
    const { type, party, seenTo: seen, createdAt } = handoffEvents;
    if (type === 'typing') {
      if (party === 'visitor') setTypingUntil(Math.min(Date.parse(createdAt), Date.now()) + TYPING_TIME);
      return;
    }
    if (type === 'message' && party === 'visitor') setTypingUntil(0);
    if (type === 'seen' && party === 'visitor') setSeenTo(seen ?? 0);
    refresh();
  });

  const [, setTick] = useState(0);
  useEffect(() => {
    const left = typingUntil - Date.now();
    if (left <= 0) return;
    const timer = setTimeout(() => setTick((before) => before + 1), left);
    return () => clearTimeout(timer);
  }, [typingUntil]);
  return { isTyping: typingUntil > Date.now(), seenTo };
}

export const CANNED_REPLIES = graphql(`query CannedReplies { cannedReplies { id name text updatedAt } }`);

/** The canned replies, as they read for a visitor. */
export function useCannedReplies(visitor: string | null | undefined): Snippet[] {
  const [{ data }] = useQuery({ query: CANNED_REPLIES });
  return data?.cannedReplies.map(({ name, text }) => ({ name, text: withName(text, visitor) })) ?? [];
}

/** The text with the name of the visitor. Without a name, a placeholder becomes its fallback, or disappears with the space before it. */
const withName = (text: string, visitor: string | null | undefined): string => {
  const name = visitor?.replace(/\s+/g, ' ').trim();
  return text.replace(/( ?)\{\{ *name *(?:\|([^{}]*))?\}\}/g, (_, space: string, fallback?: string) => {
    const words = name || fallback?.trim();
    return words ? space + words : '';
  });
};
