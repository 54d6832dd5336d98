import type { HandoffFeed } from './handoff-feed.ts';
import { fromStored, type Message, type StoredMessage } from './message.ts';
import type { ChatState } from './state.ts';
import type { Transcript } from './transcript.ts';

/** The answer of `GET /chat/{conversationId}`. */
interface StoredConversation {
  id: string;
  handoffStatus: ChatState['handoff'];
  operatorName: string | null;
  eventSequence: number;
  messages: StoredMessage[];
}

/**
 * Replace the messages by the stored ones, and keep those that are not sent yet or that arrived during the request. Returns the replies
 * that were not shown before.
 */
export async function synchronize(chat: Transcript, handoff: HandoffFeed): Promise<Message[]> {
  const { config, session, strings } = chat.context;
  const stored = await chat.endpoint.json<StoredConversation>(`chat/${chat.reference}`);
  session.write({ conversationId: stored.id });
  const messages = stored.messages.map((each) => fromStored(each, strings.error.reply));
  const keys = new Set(messages.map(({ key }) => key));
  const before = chat.store.state.messages;
  const last = Math.max(0, ...stored.messages.map(({ position }) => position));
  const isKept = ({ role, id, position = 0 }: Message) => position > last || (role === 'user' && !id);
  chat.store.update({
    messages: [...messages, ...before.filter((each) => !keys.has(each.key) && isKept(each))],
    ...(stored.eventSequence >= handoff.shownTo && { handoff: stored.handoffStatus, operatorName: stored.operatorName }),
  });
  if (config.features.handoff) handoff.follow(stored.eventSequence);
  return messages.filter(
    ({ key, role, status }) => role !== 'user' && status === 'complete' && !before.some((each) => each.key === key),
  );
}
