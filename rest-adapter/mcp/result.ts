import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { failureBody, messageOf, type Refusal, statusOf } from '../failure.ts';
import type { Route } from '../route.ts';

/** The result of a successful call. Clients without support for structured content read the text. */
export const success = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: JSON.parse(text),
});

/** The result of a refused call: the documented status and message, and the body of the REST response. */
export function failure(refusal: Refusal, { row, surface }: Route, retryAfter?: unknown): CallToolResult {
  const status = statusOf(refusal.code, surface, row.statuses);
  const text = `${status} ${refusal.code}: ${messageOf(refusal, surface)}`;
  return {
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: {
      status,
      code: refusal.code,
      body: failureBody(refusal, status, surface),
      ...(typeof retryAfter === 'number' && { retryAfter }),
    },
  };
}
