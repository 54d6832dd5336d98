import { isObject } from '../../../schema/json.ts';
import type { ChatRequest } from '../openai-protocol.ts';

/** Plays the customer of a test: it writes its goal, and is content with the first reply. Undefined for another request. */
export function playCustomer(messages: ChatRequest['messages']): { message: string; done: boolean } | undefined {
  try {
    const parsed: unknown = JSON.parse(messages.findLast(({ role }) => role === 'user')?.text ?? '');
    if (!isObject(parsed) || typeof parsed.goal !== 'string' || !Array.isArray(parsed.conversation)) return undefined;
    const done = parsed.conversation.length > 0;
    return { message: done ? '' : parsed.goal, done };
  } catch {
    return undefined;
  }
}
