import type { PanelContext } from '../../contract.ts';
import { randomId } from '../../random-id.ts';
import { plainTextOf } from '../parse-markdown.ts';
import { Endpoint, Refusal } from './endpoint.ts';
import { HandoffFeed } from './handoff-feed.ts';
import { fromStored, type Message, newMessage, type StoredMessage } from './message.ts';
import { placed } from './order.ts';
import { Replies } from './replies.ts';
import { type ChatState, initialState, type Notice } from './state.ts';
import { Store } from './store.ts';

/** The answer of `GET /chat/{conversationId}`. */
interface StoredConversation {
  id: string;
  handoffStatus: ChatState['handoff'];
  operatorName: string | null;
  eventSequence: number;
  messages: StoredMessage[];
}

/** The conversation of this visitor: its messages, its connection to the service, and the handoff to people. */
export class Conversation {
  readonly store = new Store<ChatState>(initialState);
  readonly endpoint: Endpoint;
  readonly handoff: HandoffFeed;
  readonly #replies: Replies;
  #isVisible = false;
  /** The stored messages could not be read. */
  #isIncomplete = false;
  #unread = 0;

  constructor(readonly context: PanelContext) {
    this.endpoint = new Endpoint(context.endpoint, () => context.session.read().visitorId);
    this.handoff = new HandoffFeed(this);
    this.#replies = new Replies(this);
    document.addEventListener('visibilitychange', () => this.#isVisible && this.handoff.markSeen());
  }

  /** The id of the conversation, or its chat id before the first reply. */
  get reference(): string {
    const { conversationId, chatId } = this.context.session.read();
    return conversationId ?? chatId;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  set isVisible(isVisible: boolean) {
    this.#isVisible = isVisible;
    if (!isVisible) return;
    this.#unread = 0;
    this.context.setUnread(0);
    this.handoff.retry();
    this.handoff.markSeen();
  }

  /** Run work after the messages that are being sent, and before those that the visitor sends meanwhile. */
  inTurn(work: () => Promise<void>): Promise<void> {
    return this.#replies.inTurn(work);
  }

  /** Continue the conversation of an earlier page of this tab. */
  async load(): Promise<void> {
    if (this.context.session.read().isStarted) await this.inTurn(() => this.#load());
  }

  async #load(): Promise<void> {
    this.store.update({ isLoading: true, notice: undefined });
    try {
      await this.synchronize();
      this.#isIncomplete = false;
      if (this.store.state.messages.some(({ status }) => status === 'running')) await this.#replies.resume();
    } catch (error) {
      if (error instanceof Refusal && error.isConversationGone) this.forget();
      else {
        this.#isIncomplete = true;
        this.store.update({ notice: { text: this.context.strings.error.load, retry: () => void this.load() } });
      }
    } finally {
      this.store.update({ isLoading: false });
    }
  }

  /**
   * Replace the messages by the stored ones, and keep those that are not sent yet or that arrived during the request. Returns the replies
   * that were not shown before.
   */
  async synchronize(): Promise<Message[]> {
    const { config, session, strings } = this.context;
    const stored = await this.endpoint.json<StoredConversation>(`chat/${this.reference}`);
    session.write({ conversationId: stored.id });
    const messages = stored.messages.map((each) => fromStored(each, strings.error.reply));
    const keys = new Set(messages.map(({ key }) => key));
    const before = this.store.state.messages;
    const last = Math.max(0, ...stored.messages.map(({ position }) => position));
    const isKept = ({ role, id, position = 0 }: Message) => position > last || (role === 'user' && !id);
    this.store.update({
      messages: [...messages, ...before.filter((each) => !keys.has(each.key) && isKept(each))],
      ...(stored.eventSequence >= this.handoff.shownTo && { handoff: stored.handoffStatus, operatorName: stored.operatorName }),
    });
    if (config.features.handoff) this.handoff.follow(stored.eventSequence);
    return messages.filter(
      ({ key, role, status }) => role !== 'user' && status === 'complete' && !before.some((each) => each.key === key),
    );
  }

  /** Send a message of the visitor, after those that are being sent. */
  send(text: string): void {
    const message = newMessage({ key: randomId(), role: 'user', text: text.trim().slice(0, 20_000), status: 'sending' });
    if (message.text === '') return;
    this.put(message);
    this.context.emit('message', { role: 'user', text: message.text });
    if (this.#isIncomplete) void this.load();
    void this.#replies.deliver(message);
  }

  /** Send a message again that was not sent. */
  resend(message: Message): void {
    void this.#replies.deliver(message);
  }

  stop(): void {
    void this.#replies.stop();
  }

  /** Ask again for a reply that failed. */
  retry(reply: Message): void {
    const { messages } = this.store.state;
    const at = messages.indexOf(reply);
    const question = messages.slice(0, at).findLast(({ role }) => role === 'user');
    if (!question) return;
    this.store.update({ messages: messages.filter((each) => each !== reply) });
    void this.#replies.deliver(question);
  }

  /** Returns whether the service has stored the rating. */
  async rate({ id, key }: Message, rating: Message['rating'], comment?: string): Promise<boolean> {
    const before = this.store.state.messages.find((each) => each.key === key)?.rating;
    this.change(key, { rating });
    try {
      await this.endpoint.json(`messages/${id}/rating`, { rating, ...(comment && { comment }) });
      return true;
    } catch (error) {
      this.change(key, { rating: before });
      this.store.update({ notice: this.noticeOf(error) });
      return false;
    }
  }

  /** Add a message, or replace the one with the same key. */
  put(message: Message): void {
    this.store.update({ messages: placed(this.store.state.messages, message) });
  }

  change(key: string, change: Partial<Message>): void {
    this.store.update({ messages: this.store.state.messages.map((each) => (each.key === key ? { ...each, ...change } : each)) });
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
    if (this.#isVisible) this.handoff.markSeen();
    else this.context.setUnread(++this.#unread);
  }

  /** Start over after the stored conversation was deleted. */
  forget(): void {
    this.context.session.write({ conversationId: undefined, chatId: randomId(), isStarted: false });
    this.handoff.reset();
    this.store.update({
      // The messages stay readable, but the next conversation counts its positions from the start.
      messages: this.store.state.messages.map((message) => ({ ...message, position: undefined })),
      handoff: null,
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
