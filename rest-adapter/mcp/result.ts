import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { failureBody, messageOf, type Refusal, statusOf } from '../answer/failure.ts';
import type { Route } from '../route.ts';

/** The result of a successful call. Clients without support for structured content read the text. */
export const success = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: JSON.parse(text),
});

/**
 * The result of a refused call: the documented status and message. `_meta.error` holds the body of the REST response; structured
 * content would have to match the schema of a success.
 */
export function failure(refusal: Refusal, { row, surface }: Route): CallToolResult {
  const status = statusOf(refusal.code, surface, row.statuses);
  const texts = [`${status} ${refusal.code}: ${messageOf(refusal, surface)}`];
  if (refusal.extra) texts.push(JSON.stringify(refusal.extra));
  return {
    isError: true,
    content: texts.map((text) => ({ type: 'text', text })),
    _meta: {
      error: {
        status,
        code: refusal.code,
        body: failureBody(refusal, status, surface),
        ...(refusal.retryAfter !== undefined && { retryAfter: refusal.retryAfter }),
      },
    },
  };
}
