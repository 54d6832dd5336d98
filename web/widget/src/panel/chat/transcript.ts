import { randomId } from '../../random-id.ts';
import type { HandoffStatus, PanelContext } from '../../widget-contract.ts';
import { plainTextOf } from '../parse-markdown.ts';
import { Endpoint, Refusal } from './chat-requests.ts';
import { type Approval, type Message, newMessage, type Product } from './message.ts';
import { Store } from './store.ts';

/** The messages of a conversation, its notices, and the order in which messages are sent. */
export class Transcript {
  readonly store = new Store<ChatState>(initialState);
  readonly endpoint: Endpoint;
  /** Whether the panel is open. */
  isVisible = false;
  /** Whether stored messages, or the rest of a reply, could not be read. */
  isIncomplete = false;
  /** Whether stored replies contain calls that waited for a decision. */
  isAsked = false;
  /** Messages that arrived while the panel was closed. */
  protected unread = 0;
  #queue: Promise<void> = Promise.resolve();

  constructor(readonly context: PanelContext) {
    this.endpoint = new Endpoint(context.endpoint, () => context.session.read().visitorId, context.identityToken);
  }

  /** The id of the conversation, or its chat id before the first reply. */
  get reference(): string {
    const { conversationId, chatId } = this.context.session.read();
    return conversationId ?? chatId;
  }

  /** Run work after the messages that are being sent, and before those that the visitor sends later. */
  enqueue(work: () => Promise<void>): Promise<void> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  /** Add a message, or replace the one with the same key. */
  put(message: Message): void {
    this.store.update({ messages: placed(this.store.state.messages, message) });
  }

  change(key: string, change: Partial<Message>): void {
    this.store.update({ messages: this.store.state.messages.map((each) => (each.key === key ? { ...each, ...change } : each)) });
  }

  /** Tell screen readers something that the visitor sees, and count it while the panel is closed. */
  announce(text: string): void {
    this.store.update({ announcement: text });
    if (!this.isVisible) this.context.setUnread(++this.unread);
  }

  /** Add a line of the widget itself. */
  note(text: string): void {
    this.put(newMessage({ key: randomId(), role: 'note', text }));
    this.store.update({ announcement: text });
  }

  /** Announce a finished message of the other side, and count it while the panel is closed. */
  arrived({ role, text, authorName, error }: Message): void {
    if (role === 'note') return;
    const spoken = text ? (role === 'assistant' ? plainTextOf(text) : text) : (error ?? '');
    this.store.update({ announcement: `${authorName ?? this.context.config.name}: ${spoken}` });
    this.context.emit('message', { role, text });
    if (!this.isVisible) this.context.setUnread(++this.unread);
  }

  /** Keep the messages readable, but begin a new conversation with the next one. */
  forget(): void {
    this.isIncomplete = false;
    this.context.session.write({ conversationId: undefined, chatId: randomId(), isStarted: false });
    this.store.update({
      // The next conversation counts its positions from the start.
      messages: this.store.state.messages.map((message) => ({ ...message, position: undefined })),
      handoff: null,
      place: undefined,
      away: undefined,
      approvals: [],
      operatorName: null,
      isOperatorTyping: false,
      seenTo: 0,
    });
  }

  noticeOf(error: unknown, retry?: () => void): Notice {
    const { error: texts } = this.context.strings;
    if (!(error instanceof Refusal)) return { text: navigator.onLine ? texts.failed : texts.offline, retry };
    if (error.status === 429) {
      const waitUntil = Date.now() + (error.retryAfter ?? 10) * 1_000;
      return { text: texts.failed, waitUntil, retry };
    }
    if (error.status >= 500) return { text: texts.unavailable, retry };
    return { text: error.message, retry };
  }
}

/** A fault that the visitor sees above the input. */
interface Notice {
  text: string;
  /** Time in milliseconds until which a retry would be refused. */
  waitUntil?: number;
  retry?: () => void;
}

/** The away message of the team, which may be empty, and its next opening. */
export interface Away {
  message: string;
  opensAt: string;
}

/** The away message with the next opening in the time of the visitor. */
export function awayText({ message, opensAt }: Away, { strings, language }: PanelContext): string {
  const when = new Intl.DateTimeFormat(language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: 'numeric',
    minute: '2-digit',
  }).format(new Date(opensAt));
  return `${message || strings.handoff.away} ${strings.handoff.opens(when)}`;
}

export interface ChatState {
  messages: readonly Message[];
  /** A message is being sent or a reply is being streamed. */
  isBusy: boolean;
  isLoading: boolean;
  /** The connection of a running request is lost and is being restored. */
  isLost: boolean;
  notice: Notice | undefined;
  handoff: HandoffStatus | null;
  /** The place among the visitors who wait for a person. */
  place: number | undefined;
  /** Set while the team is outside of its office hours. */
  away: Away | undefined;
  operatorName: string | null;
  isOperatorTyping: boolean;
  /** Position of the last message that the team has seen. */
  seenTo: number;
  /** The last finished message or status, for screen readers. */
  announcement: string;
  /** The calls of tools that wait for a decision. */
  approvals: readonly Approval[];
  /** The products of replies, by the id of the reply. */
  products: ReadonlyMap<string, readonly Product[]>;
  /** Counts the changes of the visitor. */
  visit: number;
}

const initialState: ChatState = {
  messages: [],
  isBusy: false,
  isLoading: false,
  isLost: false,
  notice: undefined,
  handoff: null,
  place: undefined,
  away: undefined,
  operatorName: null,
  isOperatorTyping: false,
  seenTo: 0,
  announcement: '',
  approvals: [],
  products: new Map(),
  visit: 0,
};

/** The messages with one added or replaced by its key. A message with a position comes between its neighbors by position. */
export function placed<M extends { key: string; position?: number }>(messages: readonly M[], message: M): M[] {
  const others = messages.filter(({ key }) => key !== message.key);
  const known = messages.findIndex(({ key }) => key === message.key);
  const before = known === -1 ? others.length : known;
  const { position } = message;
  if (position === undefined) return others.toSpliced(before, 0, message);
  const lowest = others.findLastIndex((each) => each.position !== undefined && each.position < position) + 1;
  const next = others.findIndex((each) => each.position !== undefined && each.position > position);
  const highest = next === -1 ? others.length : next;
  return others.toSpliced(Math.min(Math.max(before, lowest), highest), 0, message);
}

/** Read the products of the replies that have some. Without them, the replies stay as they are. */
export async function loadProducts({ store, endpoint, reference }: Transcript): Promise<void> {
  if (!store.state.messages.some(({ hasProducts }) => hasProducts)) return;
  const read = await endpoint
    .json<{ replies: { messageId: string; products: Product[] }[] }>(`chat/${reference}/products`)
    .catch(() => undefined);
  if (read) store.update({ products: new Map(read.replies.map(({ messageId, products }) => [messageId, products])) });
}
