import { backOff, openSocket } from '../../../../shared/socket.ts';
import { STOP_REPLY } from '../../../../shared/visitor-operations.ts';
import type { PageContext } from '../../widget-contract.ts';
import { Refusal, socketUrl } from './chat-requests.ts';
import type { HandoffFeed } from './handoff.ts';
import { applyPart, fromStored, Interrupted, isEmpty, type Message, newMessage, readParts, type StoredMessage } from './message.ts';
import { type ChatState, loadProducts, type Transcript } from './transcript.ts';

/** Attempts to reach the service before the visitor has to retry. */
const ATTEMPTS = 6;
/** Milliseconds for which parts are collected before they are shown. */
const PAINT_DELAY = 40;

/** Sends the messages of the visitor one after the other, and reads the replies. */
export class Replies {
  constructor(
    private readonly transcript: Transcript,
    private readonly handoff: HandoffFeed,
    /** Reads the calls that wait for a decision. */
    private readonly loadApprovals: () => Promise<void>,
  ) {}

  deliver(message: Message): Promise<void> {
    return this.transcript.enqueue(() => this.#deliver(message));
  }

  async #deliver(message: Message): Promise<void> {
    const { store, context } = this.transcript;
    context.session.write({ isStarted: true });
    this.transcript.change(message.key, { status: 'sending' });
    store.update({ isBusy: true, notice: undefined });
    try {
      const response = await this.#post(message);
      const conversationId = response.headers.get('x-conversation-id') ?? undefined;
      context.session.write({ conversationId, hasContext: context.pageContext?.() !== undefined });
      this.transcript.change(message.key, { status: 'complete' });
      store.update({ isLost: false });
      await this.#read(response, { question: message });
      if (context.config.features.handoff) this.handoff.follow();
    } catch (error) {
      this.transcript.change(message.key, { status: 'failed' });
      store.update({ notice: this.transcript.noticeOf(error) });
    } finally {
      store.update({ isBusy: false, isLost: false });
    }
  }

  /** Send a message until the service answers. It recognizes a repeated message by its id. */
  async #post({ key, text }: Message): Promise<Response> {
    const { endpoint, store, context } = this.transcript;
    for (let failures = 0; ; failures += 1) {
      const { conversationId, chatId } = context.session.read();
      const messages = [{ id: key, role: 'user', parts: [{ type: 'text', text }] }];
      const body = { id: chatId, messages, ...(conversationId && { conversationId }), ...this.#pageContext() };
      try {
        return await endpoint.send('chat', { body });
      } catch (error) {
        const isGone = error instanceof Refusal && error.isConversationGone && conversationId !== undefined;
        if (isGone) {
          this.handoff.forget();
          context.session.write({ isStarted: true });
        } else if (error instanceof Refusal || failures + 1 >= ATTEMPTS) throw error;
        else {
          store.update({ isLost: true });
          await backOff(failures);
        }
      }
    }
  }

  /** The context of this page. A page without one removes that of an earlier page. */
  #pageContext(): { pageContext?: PageContext | null } {
    const { pageContext, session } = this.transcript.context;
    const context = pageContext?.();
    if (context) return { pageContext: context };
    return session.read().hasContext ? { pageContext: null } : {};
  }

  /** Send a decision that continues a reply, and read the rest of it. Runs within a turn. */
  async continueAfter(path: string, body: object): Promise<void> {
    const { endpoint, store } = this.transcript;
    store.update({ isBusy: true, notice: undefined });
    try {
      const response = await endpoint.send(path, { body });
      if (response.status !== 204) await this.#read(response, { isContinued: true });
    } finally {
      store.update({ isBusy: false, isLost: false });
    }
  }

  async #read(
    response: Response,
    { question, isContinued = false }: { question?: Message; isContinued?: boolean } = {},
  ): Promise<void> {
    let isWaiting = false;
    let reply: Message | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const paint = () => {
      timer = undefined;
      if (reply && (reply.tool || !isEmpty(reply))) this.transcript.put(reply);
    };
    try {
      for await (const part of readParts(response)) {
        const { messageId } = part;
        // A reply that continues after an approval starts again.
        if (part.type === 'start' && messageId && reply?.id !== messageId)
          reply = {
            ...(this.#shown(messageId, isContinued) ?? newMessage({ key: messageId, id: messageId, role: 'assistant' })),
            status: 'running',
          };
        else if (reply) reply = applyPart(reply, part);
        isWaiting ||= part.type === 'tool-approval-request';
        timer ??= setTimeout(paint, PAINT_DELAY);
      }
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      clearTimeout(timer);
      return this.resume({ isLost: true });
    } finally {
      clearTimeout(timer);
    }
    if (isWaiting) await this.loadApprovals().catch(() => {});
    if (!reply) return;
    // A person has the conversation: the stream is empty, and its id is that of the stored message.
    if (isEmpty(reply)) return question && !isWaiting ? this.transcript.change(question.key, { id: reply.id }) : undefined;
    const complete: Message = { ...reply, status: 'complete', tool: undefined };
    this.transcript.put(complete);
    this.transcript.arrived(complete);
    if (complete.hasProducts) await loadProducts(this.transcript);
  }

  /** The message that a reply continues. */
  #shown(messageId: string, isContinued: boolean): Message | undefined {
    return isContinued ? this.transcript.store.state.messages.find(({ id }) => id === messageId) : undefined;
  }

  /**
   * Read the running reply from its start after the connection was lost, or the stored one if it has ended meanwhile. Runs within a
   * turn.
   */
  async resume({ isLost = false } = {}): Promise<void> {
    const { store, endpoint, reference, context } = this.transcript;
    store.update({ isBusy: true, isLost, notice: undefined });
    this.transcript.isIncomplete = false;
    let retryAfter: number | undefined;
    try {
      for (let failures = 0; failures < ATTEMPTS; failures += 1) {
        if (isLost || failures > 0) await backOff(failures, retryAfter);
        try {
          const response = await endpoint.send(`chat/${reference}/stream`);
          store.update({ isLost: false });
          if (response.status !== 204) return await this.#read(response);
          const replies = await synchronize(this.transcript, this.handoff);
          for (const reply of replies) this.transcript.arrived(reply);
          return;
        } catch (error) {
          if (error instanceof Refusal && !error.isTemporary) throw error;
          retryAfter = error instanceof Refusal ? error.retryAfter : undefined;
          store.update({ isLost: true });
        }
      }
      throw new Interrupted();
    } catch (error) {
      this.transcript.isIncomplete = true;
      const notice = this.transcript.noticeOf(error, () => void this.transcript.enqueue(() => this.resume()));
      store.update({ notice: { ...notice, text: context.strings.error.reply } });
    } finally {
      store.update({ isBusy: false, isLost: false });
    }
  }

  /** Stop the running reply. Its stream then ends with the text so far. */
  async stop(): Promise<void> {
    const { endpoint, reference, context } = this.transcript;
    const client = openSocket({
      url: socketUrl('../../graphql', endpoint.url),
      connectionParams: { identityToken: context.identityToken?.() },
    });
    const slug = decodeURIComponent(endpoint.url.split('/').at(-1)!);
    const variables = { slug, visitorId: context.session.read().visitorId, id: reference };
    try {
      for await (const { errors } of client.iterate({ query: STOP_REPLY, variables })) if (errors) throw errors[0];
    } catch (error) {
      this.transcript.store.update({ notice: this.transcript.noticeOf(error) });
    } finally {
      void client.dispose();
    }
  }
}

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
  chat.isAsked = stored.messages.some(({ parts }) => parts.some(({ state }) => state === 'approval-requested'));
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
