import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useLive } from '../../../graph/live.ts';
import { type Conversation, HANDOFF_EVENTS } from './documents.ts';

/** Milliseconds for which a typing event counts. */
const TYPING = 5_000;
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
      if (party === 'visitor') setTypingUntil(Math.min(Date.parse(createdAt), Date.now()) + TYPING);
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
