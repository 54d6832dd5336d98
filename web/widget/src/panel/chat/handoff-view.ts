import type { HandoffStatus } from '../../contract.ts';
import { newMessage } from './message.ts';
import type { Transcript } from './transcript.ts';

export interface HandoffEvent {
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
export class HandoffView {
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
