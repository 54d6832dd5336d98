import { randomId } from '../../random-id.ts';
import type { PanelContext } from '../../widget-contract.ts';
import { Approvals } from './approvals.ts';
import { Refusal } from './chat-requests.ts';
import { HandoffFeed } from './handoff.ts';
import { MAX_LENGTH, type Message, newMessage } from './message.ts';
import { Replies, synchronize } from './replies.ts';
import { Transcript } from './transcript.ts';

/** The text up to the maximum length. Never cuts a surrogate pair. */
const cut = (text: string) => text.slice(0, MAX_LENGTH).replace(/\p{Surrogate}$/u, '');

/** The conversation of this visitor: its transcript, its replies, and the handoff to people. */
export class Conversation extends Transcript {
  readonly handoff = new HandoffFeed(this);
  readonly #replies: Replies = new Replies(this, this.handoff, () => this.approvals.load());
  readonly approvals: Approvals = new Approvals(this, this.#replies, this.handoff);

  constructor(context: PanelContext) {
    super(context);
    document.addEventListener('visibilitychange', () => this.isVisible && this.handoff.markSeen());
  }

  /** The visitor opens the panel. */
  show(): void {
    this.isVisible = true;
    this.unread = 0;
    this.context.setUnread(0);
    this.handoff.retry();
    this.handoff.markSeen();
  }

  /** The visitor closes the panel. */
  hide(): void {
    this.isVisible = false;
  }

  /** The visitor has signed in or out. */
  async restart(): Promise<void> {
    this.store.update({ visit: this.store.state.visit + 1 });
    if (this.context.session.read().isStarted) return this.enqueue(() => this.#load());
    const clear = () => {
      this.handoff.forget();
      this.approvals.forget();
      this.store.update({ messages: [], notice: undefined, announcement: '' });
    };
    clear();
    // A reply may still be written.
    await this.enqueue(async () => clear());
  }

  /** Continue the conversation of an earlier page of this tab. */
  async load(): Promise<void> {
    if (this.context.session.read().isStarted) await this.enqueue(() => this.#load());
  }

  async #load(): Promise<void> {
    this.isIncomplete = false;
    this.store.update({ isLoading: true, notice: undefined });
    try {
      await synchronize(this, this.handoff);
      if (this.store.state.messages.some(({ status }) => status === 'running')) await this.#replies.resume();
      if (this.isAsked) await this.approvals.load();
    } catch (error) {
      if (error instanceof Refusal && error.isConversationGone) this.handoff.forget();
      else {
        this.isIncomplete = true;
        this.store.update({ notice: { text: this.context.strings.error.load, retry: () => void this.load() } });
      }
    } finally {
      this.store.update({ isLoading: false });
    }
  }

  /** Send a message of the visitor, after those that are being sent. */
  send(text: string): void {
    const message = newMessage({ key: randomId(), role: 'user', text: cut(text.trim()), status: 'sending' });
    if (message.text === '') return;
    this.put(message);
    this.context.emit('message', { role: 'user', text: message.text });
    void this.enqueue(async () => {
      if (this.isIncomplete) await this.#load();
    });
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
}
