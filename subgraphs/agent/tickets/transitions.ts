import { fail } from '../../../schema/errors.ts';
import type { Word } from '../../../schema/words.ts';

type Status = Word<'TicketStatus'>;

const open: readonly Status[] = ['new', 'on_you', 'on_customer', 'on_hold'];

/** The actions on a ticket: the statuses that permit them, and the next status. An assignment changes the status of a new ticket only. */
const actions = {
  assign: { from: open, to: (status: Status): Status => (status === 'new' ? 'on_you' : status) },
  reply: { from: open, to: (): Status => 'on_customer' },
  requesterReply: { from: [...open, 'closed'] as readonly Status[], to: (): Status => 'on_you' },
} as const;

/** The statuses that a teammate sets directly. All others follow from assignments and replies. */
const settable: readonly Status[] = ['on_hold', 'closed', 'cancelled'];

/** The status after an action. Throws `UNPROCESSABLE` if the current status does not permit it. */
export function statusAfter(action: keyof typeof actions, status: Status): Status {
  const { from, to } = actions[action];
  if (!from.includes(status)) throw fail('UNPROCESSABLE', `The ticket is ${status}.`);
  return to(status);
}

/** Throws `UNPROCESSABLE` if a teammate may not change the status this way. */
export function checkTransition(from: Status, to: Status): void {
  if (from === to) return;
  if (!settable.includes(to) || !open.includes(from))
    throw fail('UNPROCESSABLE', `The status cannot change from ${from} to ${to}.`);
}
