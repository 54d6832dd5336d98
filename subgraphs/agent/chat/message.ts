import { fail } from '../../../schema/errors.ts';
import { isObject } from '../../../schema/json.ts';
import { isLonger } from '../../../schema/text.ts';

/** Maximum characters of one message. */
const MAX_LENGTH = 20_000;
const MAX_ID_LENGTH = 128;

export interface UserMessage {
  text: string;
  /** The id that the client gave the message. */
  clientId: string | null;
}

/**
 * The last user message of a request. Everything else in it is ignored, because the stored conversation is the truth: earlier messages,
 * instructions and tool results of a client cannot be trusted.
 */
export function lastUserMessage(messages: readonly unknown[]): UserMessage {
  const message = messages.findLast((each) => isObject(each) && each.role === 'user');
  if (!isObject(message)) throw fail('INVALID_INPUT', 'messages must contain a message with the role user');
  const text = textsOf(message.parts).join('\n').trim();
  if (text === '') throw fail('INVALID_INPUT', 'the last user message must contain a part of type text that is not blank');
  if (isLonger(text, MAX_LENGTH)) throw fail('INVALID_INPUT', `the last user message must be at most ${MAX_LENGTH} characters`);
  return { text, clientId: readClientId(message.id, 'the id of the last user message') };
}

/** Check an id that a client chose, such as its chat id. */
export function readClientId(id: unknown, name: string): string | null {
  if (id === undefined || id === null || id === '') return null;
  if (typeof id === 'string' && id.length <= MAX_ID_LENGTH) return id;
  throw fail('INVALID_INPUT', `${name} must be a text of at most ${MAX_ID_LENGTH} characters`);
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => (isObject(part) && part.type === 'text' && typeof part.text === 'string' ? [part.text] : []));
}
