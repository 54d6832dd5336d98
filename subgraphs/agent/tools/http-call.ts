import { decodeText } from '../../common/outbound/charset.ts';
import type { Outbound, OutboundResponse } from '../../common/outbound/client.ts';
import { OutboundRefused } from '../../common/outbound/refusal.ts';
import type { Scope } from '../../common/scope.ts';
import { openSecrets } from '../secrets/sealed.ts';
import type { Tool } from './entity.ts';
import type { Masker } from './masking.ts';
import type { Outcome, Prepared } from './prepared.ts';
import { type Resolved, resolveRequest } from './request.ts';
import { mapResponse, maskedStart } from './response.ts';
import { ToolFault } from './templates.ts';
import type { ResponseMapping } from './types.ts';

const MAX_BYTES = 2 * 1024 * 1024;
/** Characters of a failed response that the model sees. */
const ERROR_EXCERPT = 500;

/** Make the request of a tool from its templates. Throws `ToolFault`. */
export async function prepareHttp(scope: Scope, tool: Tool, params: Record<string, unknown>): Promise<Prepared> {
  const secrets = await openSecrets(scope, tool.secretNames);
  const resolved = resolveRequest(tool, { params, secrets });
  const outbound = scope.services.outbound.ownedBy(scope.organizationId);
  return { request: resolved.masked, send: (signal) => send(outbound, tool, resolved, signal) };
}

async function send(outbound: Outbound, tool: Tool, { url, request, masker }: Resolved, signal?: AbortSignal): Promise<Outcome> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const response = await outbound.request(url, { ...request, timeoutMs: tool.timeoutMs, maxBytes: MAX_BYTES, signal });
    return outcomeOf(response, elapsed(), tool.responseMapping, masker);
  } catch (error) {
    return { response: null, result: null, error: failureText(error, masker, signal) };
  }
}

/** The error text of a call that has no usable response. Throws errors that are not the receiver's. */
export function failureText(error: unknown, masker: Masker, signal?: AbortSignal): string {
  if (signal?.aborted) return 'The call was canceled.';
  if (error instanceof ToolFault || error instanceof OutboundRefused) return masker.mask(error.message);
  throw error;
}

function outcomeOf(received: OutboundResponse, durationMs: number, mapping: ResponseMapping, masker: Masker): Outcome {
  const { status } = received;
  const answered = (snippet: string, truncated: boolean) => ({ status, durationMs, snippet, truncated });
  try {
    const text = readText(received);
    if (status < 200 || status > 299) {
      const { snippet, truncated } = mapResponse({ kind: 'raw', truncateChars: mapping.truncateChars }, text, masker);
      const excerpt = maskedStart(text, masker, ERROR_EXCERPT).trim();
      const error = `The receiver answered with status ${status}${excerpt ? `: ${excerpt}` : '.'}`;
      return { response: answered(snippet, truncated), result: null, error };
    }
    const { snippet, result, truncated } = mapResponse(mapping, text, masker);
    return { response: answered(snippet, truncated), result, error: null };
  } catch (error) {
    if (!(error instanceof ToolFault)) throw error;
    return { response: answered('', false), result: null, error: error.message };
  }
}

const TEXT_TYPE = /^$|^text\/|^application\/([\w.-]+\+)?(json|xml|x-ndjson|javascript|x-www-form-urlencoded|yaml)$/;

function readText({ headers, body }: OutboundResponse): string {
  const contentType = headers['content-type'] ?? '';
  const essence = contentType.split(';')[0]!.trim().toLowerCase();
  if (body.length > 0 && !TEXT_TYPE.test(essence))
    throw new ToolFault(`The receiver answered with ${essence.slice(0, 100)}, which is not text.`);
  return decodeText(body, contentType);
}
