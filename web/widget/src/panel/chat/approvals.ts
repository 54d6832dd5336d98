import { Refusal } from './chat-requests.ts';
import type { HandoffFeed } from './handoff.ts';
import type { Approval } from './message.ts';
import type { Replies } from './replies.ts';
import { synchronize } from './replies.ts';
import type { Transcript } from './transcript.ts';

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
