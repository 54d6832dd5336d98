import { type Client, createClient } from 'graphql-ws';
import type { HandoffStatus } from '../../contract.ts';
import type { Conversation } from './conversation.ts';
import { Refusal } from './endpoint.ts';
import { HandoffView } from './handoff-view.ts';
import { backOff } from './retry.ts';
import { socketUrl } from './socket.ts';

export interface HandoffEvent {
  sequence: number;
  type: 'status' | 'message' | 'typing' | 'seen';
  status: HandoffStatus;
  party: 'visitor' | 'operator' | 'agent';
  operatorName: string | null;
  seenTo: number | null;
  message: { id: string; position: number; text: string; authorName: string | null } | null;
}

const EVENTS = `subscription ($after: Int!) {
  event: visitorHandoffEvents(after: $after) {
    sequence type status party operatorName seenTo message { id position text authorName }
  }
}`;
const TYPING = 'mutation { setVisitorTyping }';
const SEEN = 'mutation ($position: Int!) { setVisitorSeen(position: $position) }';
const END = 'mutation { endHandoff }';

/** Milliseconds between two signs that the visitor is typing. */
const TYPING_INTERVAL = 3_000;
/** Milliseconds between two pings, and until a missing answer means that the connection is lost. */
const PING_INTERVAL = 10_000;
const PONG_TIMEOUT = 5_000;

/** The visitor's side of a handoff: follows its events over a WebSocket, and reconnects without losing one. */
export class HandoffFeed {
  readonly #view: HandoffView;
  #client: Client | undefined;
  #after = 0;
  #isFollowing = false;
  #typedAt = 0;
  #seen = 0;

  constructor(private readonly conversation: Conversation) {
    this.#view = new HandoffView(conversation);
  }

  /** Follow the events after the given one, unless that happens already. */
  follow(after = 0): void {
    this.#after = Math.max(this.#after, after);
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#run()
      .catch(() => {})
      .finally(() => {
        this.#isFollowing = false;
      });
  }

  async #run(): Promise<void> {
    for (let failures = 0; ; ) {
      let received = 0;
      try {
        received = await this.#connect();
        failures = 0;
        // A closed handoff ends the log. The next message of the visitor follows it again.
        if (received === 0 && this.conversation.store.state.handoff === 'closed') return;
      } catch (error) {
        if (error instanceof Refusal && !error.isTemporary) return;
        failures += 1;
      }
      if (received === 0) await backOff(failures);
    }
  }

  /** Follow the events with a new token until the stream ends. Returns their number. */
  async #connect(): Promise<number> {
    const { endpoint, context } = this.conversation;
    const { conversationId } = context.session.read();
    const query = conversationId ? `?conversationId=${conversationId}` : '';
    const { token, url } = await endpoint.json<{ token: string; url: string }>(`handoff-token${query}`);
    const client = openClient(socketUrl(url, endpoint.url), token);
    this.#client = client;
    client.on('connected', () => this.markSeen());
    let received = 0;
    try {
      for await (const { data, errors } of client.iterate<{ event: HandoffEvent }>({
        query: EVENTS,
        variables: { after: this.#after },
      })) {
        if (errors || !data) throw new Error(errors?.[0]?.message);
        received += 1;
        this.#after = data.event.sequence;
        this.#view.show(data.event);
      }
      return received;
    } finally {
      this.#client = undefined;
      void client.dispose();
    }
  }

  /** Tell the operator that the visitor is typing. */
  typing(): void {
    const now = Date.now();
    if (this.conversation.store.state.handoff !== 'active' || now - this.#typedAt < TYPING_INTERVAL) return;
    this.#typedAt = now;
    void this.#mutate(TYPING);
  }

  /** Tell the operator that the visitor sees all messages. */
  markSeen(): void {
    const { messages, handoff } = this.conversation.store.state;
    const position = Math.max(0, ...messages.map(({ role, position = 0 }) => (role === 'operator' ? position : 0)));
    if (!this.conversation.isVisible || handoff !== 'active' || position <= this.#seen || document.hidden) return;
    void this.#mutate(SEEN, { position }).then((isSent) => {
      if (isSent) this.#seen = Math.max(this.#seen, position);
    });
  }

  async request(): Promise<void> {
    const { endpoint, context, store } = this.conversation;
    try {
      const { conversationId } = context.session.read();
      const created = await endpoint.json<{ conversationId: string; status: HandoffStatus }>('handoff', { conversationId });
      context.session.write({ conversationId: created.conversationId, isStarted: true });
      this.follow();
    } catch (error) {
      store.update({ notice: this.conversation.noticeOf(error, () => void this.request()) });
    }
  }

  async end(): Promise<void> {
    const isSent = await this.#mutate(END);
    if (!isSent) this.conversation.store.update({ notice: this.conversation.noticeOf(undefined, () => void this.end()) });
  }

  /** Run a mutation over the open connection. Returns false without one. */
  async #mutate(query: string, variables: Record<string, unknown> = {}): Promise<boolean> {
    if (!this.#client) return false;
    try {
      for await (const { errors } of this.#client.iterate({ query, variables })) return !errors;
      return false;
    } catch {
      return false;
    }
  }
}

function openClient(url: string, handoffToken: string): Client {
  let timeout: ReturnType<typeof setTimeout> | undefined;
  const client = createClient({
    url,
    connectionParams: { handoffToken },
    // Each connection needs a new token.
    retryAttempts: 0,
    keepAlive: PING_INTERVAL,
    on: {
      ping: (isReceived) => {
        if (!isReceived) timeout = setTimeout(() => client.terminate(), PONG_TIMEOUT);
      },
      pong: (isReceived) => isReceived && clearTimeout(timeout),
      closed: () => clearTimeout(timeout),
    },
  });
  return client;
}
