import type { Client } from 'graphql-ws';
import { backOff, isSignedOutCode, isTemporaryCode, openSocket } from '../../../../shared/socket.ts';
import { END_HANDOFF, HANDOFF_EVENTS, HANDOFF_PLACE, SET_SEEN, SET_TYPING } from '../../../../shared/visitor-operations.ts';
import type { HandoffStatus } from '../../widget-contract.ts';
import { Refusal, socketUrl } from './chat-requests.ts';
import { newMessage } from './message.ts';
import { type Away, awayText, type Transcript } from './transcript.ts';

/** Milliseconds between two signs that the visitor is typing. */
const TYPING_INTERVAL = 3_000;
/** Attempts on a page that never had a connection, for example because its content security policy blocks WebSockets. */
const FIRST_ATTEMPTS = 6;
/** Milliseconds after which a connection counts as stable, so that the next failure is a first one. */
const STABLE_TIME = 10_000;
/** Milliseconds between two reads of the place in line. */
const PLACE_INTERVAL = 15_000;

/** The visitor's side of a handoff: follows its events over a WebSocket, and reconnects without losing one. */
export class HandoffFeed {
  readonly #view: HandoffView;
  #client: Client | undefined;
  #after = 0;
  #follower: AbortController | undefined;
  /** Time in milliseconds at which the current connection began. */
  #connectedAt = Number.POSITIVE_INFINITY;
  #wasConnected = false;
  #hasGivenUp = false;
  #typedAt = 0;
  #seen = 0;

  constructor(private readonly transcript: Transcript) {
    this.#view = new HandoffView(transcript);
  }

  /** The sequence number of the last event that is shown. */
  get shownTo(): number {
    return this.#after;
  }

  /** Follow the events after the given one, unless that happens already. */
  follow(after = 0): void {
    this.#after = Math.max(this.#after, after);
    if (this.#follower) return;
    const follower = new AbortController();
    this.#follower = follower;
    this.#hasGivenUp = false;
    this.#run(follower.signal)
      .catch(() => {})
      .finally(() => {
        if (this.#follower === follower) this.#follower = undefined;
      });
  }

  /** Follow the events again after an action of the visitor, if earlier attempts were given up. */
  retry(): void {
    if (this.#hasGivenUp) this.follow();
  }

  /** Start over after the stored conversation was deleted. */
  forget(): void {
    this.#follower?.abort();
    this.#follower = undefined;
    void this.#client?.dispose();
    this.#client = undefined;
    this.#hasGivenUp = false;
    this.#after = 0;
    this.#seen = 0;
    this.transcript.forget();
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      let received = 0;
      let retryAfter: number | undefined;
      this.#connectedAt = Number.POSITIVE_INFINITY;
      try {
        received = await this.#connect(signal);
        failures = 0;
        // A closed handoff ends the log. The next message of the visitor follows it again.
        if (received === 0 && this.transcript.store.state.handoff === 'closed') return;
      } catch (error) {
        if (signal.aborted) return;
        if (isFinal(error)) return this.#giveUp();
        if (error instanceof Refusal) ({ retryAfter } = error);
        failures = Date.now() - this.#connectedAt > STABLE_TIME ? 1 : failures + 1;
        if (!this.#wasConnected && failures >= FIRST_ATTEMPTS) return this.#giveUp();
      }
      if (received === 0) await backOff(failures, retryAfter);
    }
  }

  /** Stop until the visitor acts. During a handoff, the visitor must know that messages of the team do not arrive. */
  #giveUp(): void {
    const { store, context } = this.transcript;
    this.#hasGivenUp = true;
    if (store.state.handoff !== 'waiting' && store.state.handoff !== 'active') return;
    const retry = () => {
      store.update({ notice: undefined });
      this.retry();
    };
    store.update({ notice: { text: context.strings.error.team, retry } });
  }

  /** Follow the events with a new token until the stream ends. Returns their number. */
  async #connect(signal: AbortSignal): Promise<number> {
    const { endpoint, context } = this.transcript;
    const { conversationId } = context.session.read();
    const query = conversationId ? `?conversationId=${conversationId}` : '';
    const { token, url } = await endpoint.json<{ token: string; url: string }>(`handoff-token${query}`);
    if (signal.aborted) return 0;
    // Each connection needs a new token.
    const client = openSocket({ url: socketUrl(url, endpoint.url), connectionParams: { handoffToken: token } });
    this.#client = client;
    client.on('connected', () => {
      this.#connectedAt = Date.now();
      this.#wasConnected = true;
      this.markSeen();
    });
    let received = 0;
    const places = setInterval(() => void this.#readPlace(client), PLACE_INTERVAL);
    void this.#readPlace(client);
    try {
      for await (const { data, errors } of client.iterate<{ event: HandoffEvent }>({
        query: HANDOFF_EVENTS,
        variables: { after: this.#after },
      })) {
        if (signal.aborted) break;
        if (errors || !data) throw errors;
        received += 1;
        this.#after = data.event.sequence;
        this.#view.show(data.event);
        this.markSeen();
        if (data.event.type === 'status') void this.#readPlace(client);
      }
      return received;
    } finally {
      clearInterval(places);
      if (this.#client === client) this.#client = undefined;
      void client.dispose();
    }
  }

  /** Show how many visitors wait, up to this one, and whether the team is away. */
  async #readPlace(client: Client): Promise<void> {
    const { store } = this.transcript;
    if (store.state.handoff !== 'waiting') return;
    try {
      for await (const { data } of client.iterate<{ place: number | null; away: Away | null }>({ query: HANDOFF_PLACE })) {
        const away = data?.away ?? undefined;
        if (away && !store.state.away) store.update({ announcement: awayText(away, this.transcript.context) });
        store.update({ place: data?.place ?? undefined, away });
      }
    } catch {
      // The place is read again.
    }
  }

  /** Tell the operator that the visitor is typing. */
  typing(): void {
    const now = Date.now();
    if (this.transcript.store.state.handoff !== 'active' || now - this.#typedAt < TYPING_INTERVAL) return;
    this.#typedAt = now;
    void this.#mutate(SET_TYPING);
  }

  /** Tell the operator that the visitor sees all messages. */
  markSeen(): void {
    const { messages, handoff } = this.transcript.store.state;
    const position = Math.max(0, ...messages.map(({ role, position = 0 }) => (role === 'operator' ? position : 0)));
    if (!this.transcript.isVisible || handoff !== 'active' || position <= this.#seen || document.hidden) return;
    void this.#mutate(SET_SEEN, { position }).then((isSent) => {
      if (isSent) this.#seen = Math.max(this.#seen, position);
    });
  }

  /** Ask for a person. Without a conversation, first wait for messages that are being sent, because they create one. */
  async request(): Promise<void> {
    const { conversationId } = this.transcript.context.session.read();
    await (conversationId ? this.#request() : this.transcript.enqueue(() => this.#request()));
  }

  async #request(): Promise<void> {
    const { endpoint, context, store } = this.transcript;
    const { conversationId } = context.session.read();
    try {
      const created = await endpoint.json<{ conversationId: string; status: HandoffStatus }>('handoff', { conversationId });
      context.session.write({ conversationId: created.conversationId, isStarted: true });
      this.follow();
    } catch (error) {
      if (conversationId && error instanceof Refusal && error.isConversationGone) {
        this.forget();
        return void this.request();
      }
      store.update({ notice: this.transcript.noticeOf(error, () => void this.request()) });
    }
  }

  async end(): Promise<void> {
    const isSent = await this.#mutate(END_HANDOFF);
    if (!isSent) this.transcript.store.update({ notice: this.transcript.noticeOf(undefined, () => void this.end()) });
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

/** Whether another attempt would fail, too, although it has a new token. The client library throws the errors of a subscription as an array. */
function isFinal(error: unknown): boolean {
  if (error instanceof Refusal) return !error.isTemporary;
  const code: unknown = Array.isArray(error) && error[0]?.extensions?.code;
  return typeof code === 'string' && !isTemporaryCode(code) && !isSignedOutCode(code);
}

interface HandoffEvent {
  sequence: number;
  type: 'status' | 'message' | 'typing' | 'seen';
  status: HandoffStatus;
  party: 'visitor' | 'operator' | 'agent';
  operatorName: string | null;
  seenTo: number | null;
  message: { id: string; position: number; text: string; authorName: string | null } | null;
}

/** Milliseconds for which an operator counts as typing. */
const TYPING_TIME = 5_000;

/** Shows the events of a handoff in the conversation. */
class HandoffView {
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly transcript: Transcript) {}

  show(event: HandoffEvent): void {
    const { store } = this.transcript;
    if (event.type === 'status') this.#showStatus(event);
    if (event.type === 'message') this.#showMessage(event);
    if (event.type === 'seen' && event.party === 'operator') store.update({ seenTo: event.seenTo ?? 0 });
    if (event.party !== 'operator') return;
    clearTimeout(this.#typing);
    const isTyping = event.type === 'typing';
    store.update({ isOperatorTyping: isTyping });
    if (isTyping) this.#typing = setTimeout(() => store.update({ isOperatorTyping: false }), TYPING_TIME);
  }

  #showStatus({ status, operatorName, party }: HandoffEvent): void {
    const { store, context } = this.transcript;
    const { handoff: texts } = context.strings;
    const { handoff, operatorName: before } = store.state;
    if (status === handoff && operatorName === before) return;
    store.update({ handoff: status, operatorName });
    // An operator who takes over without a request opens the handoff and has it at once.
    const isUnasked = status === 'waiting' && party === 'operator';
    if (!isUnasked) this.transcript.note(status === 'active' ? texts.active(operatorName ?? texts.person) : texts[status]);
    context.emit('handoff', { status, operatorName });
  }

  #showMessage({ party, message }: HandoffEvent): void {
    if (!message) return;
    const { id, position, text, authorName } = message;
    const { messages } = this.transcript.store.state;
    const known = messages.find((each) => each.id === id);
    // The event may arrive before the answer to the request that stored the message.
    const own = party === 'visitor' && messages.findLast((each) => each.role === 'user' && !each.id && each.text === text);
    const same = known || own;
    if (same) {
      this.transcript.put({ ...same, id, position });
      return;
    }
    const role = party === 'visitor' ? 'user' : 'operator';
    const shown = newMessage({ key: id, id, position, role, text, authorName });
    this.transcript.put(shown);
    if (role === 'operator') this.transcript.arrived(shown);
  }
}
