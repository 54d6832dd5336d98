import { randomId } from '../../random-id.ts';
import type { PanelContext } from '../../widget-contract.ts';
import { Refusal } from './chat-requests.ts';
import { HandoffFeed } from './handoff.ts';
import { type Approval, MAX_LENGTH, type Message, newMessage } from './message.ts';
import { Replies, synchronize } from './replies.ts';
import { loadProducts, Transcript } from './transcript.ts';

/** The text up to the maximum length. Never cuts a surrogate pair. */
const cut = (text: string) => text.slice(0, MAX_LENGTH).replace(/\p{Surrogate}$/u, '');

/** The conversation of this visitor: its transcript, its replies, and the handoff to people. */
export class Conversation extends Transcript {
  readonly handoff = new HandoffFeed(this);
  readonly #replies: Replies = new Replies(this, this.handoff, () => this.approvals.load());
  readonly approvals: Approvals = new Approvals(this, this.#replies, this.handoff);

  constructor(context: PanelContext) {
    super(context);
    document.addEventListener('visibilitychange', () => {
      if (this.isVisible) this.handoff.markSeen();
      if (document.visibilityState === 'visible') void this.#catchUp();
    });
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
    this.#clear();
    // A reply may still be written.
    await this.enqueue(async () => this.#clear());
    await this.load();
  }

  /** Begin a new conversation, also on this page and its next ones. */
  begin(): void {
    this.context.session.write({ isFresh: true });
    void this.enqueue(async () => this.#clear());
  }

  #clear(): void {
    this.handoff.forget();
    this.approvals.forget();
    this.store.update({ messages: [], products: new Map(), notice: undefined, announcement: '' });
  }

  /** Continue the conversation of an earlier page of this tab, and that of a signed-in visitor from anywhere. */
  async load(): Promise<void> {
    await this.enqueue(async () => {
      await this.#find();
      if (this.context.session.read().isStarted) await this.#load();
    });
  }

  /** Find the conversation that a signed-in visitor has in another tab, on another device, or from an earlier visit. */
  async #find(): Promise<void> {
    const { session, identityToken } = this.context;
    const { isStarted, isFresh } = session.read();
    const token = identityToken?.();
    if (isStarted || isFresh || !token) return;
    const found = await this.endpoint.json<{ conversationId: string | null }>('conversation').catch(() => undefined);
    if (found?.conversationId && identityToken?.() === token)
      session.write({ conversationId: found.conversationId, isStarted: true });
  }

  /** Show what was written in another tab of a signed-in visitor. */
  async #catchUp(): Promise<void> {
    const { session, identityToken } = this.context;
    if (!identityToken?.() || !session.read().isStarted) return;
    await this.enqueue(async () => {
      await synchronize(this, this.handoff);
      await this.#resume();
      await loadProducts(this);
    }).catch(() => {});
  }

  async #load(): Promise<void> {
    this.isIncomplete = false;
    this.store.update({ isLoading: true, notice: undefined });
    try {
      await synchronize(this, this.handoff);
      await this.#resume();
      if (this.isAsked) await this.approvals.load();
      await loadProducts(this);
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

  /** Read the reply that is being written, if there is one. */
  async #resume(): Promise<void> {
    if (this.store.state.messages.some(({ status }) => status === 'running')) await this.#replies.resume();
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

/** Milliseconds between two reads while a member of the team decides. */
const INTERVAL = 4_000;

/** The calls that wait for a decision. */
export class Approvals {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly transcript: Transcript,
    private readonly replies: Replies,
    private readonly handoff: HandoffFeed,
  ) {}

  /** Read the calls that wait. Announces new ones. */
  async load(): Promise<void> {
    clearTimeout(this.#timer);
    const { endpoint, store, reference, context } = this.transcript;
    const before = store.state.approvals;
    const { approvals } = await endpoint.json<{ approvals: Approval[] }>(`chat/${reference}/approvals`);
    const waiting = approvals.filter(({ status }) => status === 'pending');
    store.update({ approvals: waiting });
    const { strings } = context;
    for (const each of waiting.filter(({ id }) => !before.some((known) => known.id === id)))
      this.transcript.announce(`${each.party === 'visitor' ? strings.approval.title : strings.approval.team}: ${each.text}`);
    const ended = before.filter(({ id }) => !waiting.some((each) => each.id === id));
    for (const { id } of ended) this.#noteEnd(approvals.find((each) => each.id === id));
    if (ended.some(({ party }) => party === 'operator')) await this.#readAlong();
    if (waiting.some(({ party }) => party === 'operator')) this.#timer = setTimeout(() => void this.#poll(), INTERVAL);
  }

  /** Read what was written meanwhile, and the reply that is being written. */
  async #readAlong(): Promise<void> {
    await synchronize(this.transcript, this.handoff);
    if (this.transcript.store.state.messages.some(({ status }) => status === 'running')) await this.replies.resume();
  }

  async #poll(): Promise<void> {
    // The next poll follows, also after a lost connection.
    this.#timer = setTimeout(() => void this.#poll(), INTERVAL);
    await this.transcript.enqueue(() => this.load()).catch(() => {});
  }

  #noteEnd(approval: Approval | undefined): void {
    if (!approval || approval.status === 'pending') return;
    this.transcript.note(`${approval.text} ${this.transcript.context.strings.approval.ends[approval.status]}`);
  }

  /** Decide about a call, and read the rest of the reply. */
  decide({ id }: Approval, approved: boolean): Promise<void> {
    return this.transcript.enqueue(async () => {
      try {
        await this.replies.continueAfter(`approvals/${id}`, { approved });
      } catch (error) {
        this.transcript.store.update({ notice: this.transcript.noticeOf(error) });
        if (!(error instanceof Refusal)) return;
        // An earlier attempt whose answer was lost may have decided.
        await this.#readAlong().catch(() => {});
      }
      await this.load().catch(() => {});
    });
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.transcript.store.update({ approvals: [] });
  }
}
