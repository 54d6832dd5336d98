import { isObject, type JsonObject } from '../../../schema/json.ts';
import type { Message } from '../protocol.ts';

/** An answer as text, or the call of a tool. */
export type ChatAnswer = { content: string } | { call: { name: string; input: JsonObject } };

/** The result of a tool call. */
export interface ToolResult {
  tool: string;
  text: string;
}

/** The results of the tool calls after a message, in order. */
export function resultsAfter(messages: readonly Message[], index: number): ToolResult[] {
  const later = messages.slice(index + 1);
  const names = new Map(later.flatMap(({ calls = [] }) => calls.map(({ id, name }) => [id, name] as const)));
  return later.filter(({ role }) => role === 'tool').map(({ text, callId }) => ({ tool: names.get(callId ?? '') ?? '', text }));
}

/** The JSON object of a result, or undefined for errors and other texts. */
export function objectOf(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
