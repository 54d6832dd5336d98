import { isObject } from '../../../schema/json.ts';

/** The answer of a person to a request for approval. */
export interface Decision {
  id: string;
  approved: boolean;
}

/** Answers of one request. */
const MAX = 16;

/**
 * The answers in the last message of a request, as clients of the AI SDK send them: calls with the state `approval-responded`. Nothing else
 * of the message counts. Its calls and arguments are those that the service has stored.
 */
export function decisionsOf(messages: readonly unknown[]): Decision[] {
  const last = messages.at(-1);
  if (!isObject(last) || last.role !== 'assistant' || !Array.isArray(last.parts)) return [];
  return last.parts.flatMap(decisionOf).slice(0, MAX);
}

function decisionOf(part: unknown): Decision[] {
  if (!isObject(part) || part.state !== 'approval-responded' || !isObject(part.approval)) return [];
  const { id, approved } = part.approval;
  return typeof id === 'string' && typeof approved === 'boolean' ? [{ id, approved }] : [];
}
