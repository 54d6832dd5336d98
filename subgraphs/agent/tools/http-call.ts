import { type Outbound, OutboundRefused, type OutboundResponse, type RefusalKind } from '../../../platform/outbound/index.ts';
import { decodeText } from '../../../platform/reading/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { truncate } from '../../../schema/text.ts';
import { openSecrets } from '../secrets/service.ts';
import { compute } from './compute.ts';
import type { Prepared, RequestOutcome, ResponseMapping, SendHeaders, Tool } from './entity.ts';
import type { Masker } from './masking.ts';
import { ToolFault, type Values } from './templates.ts';
import { type Resolved, resolveRequest } from './tool-request.ts';

const MAX_BYTES = 2 * 1024 * 1024;

/** Make the request of a tool from its templates. Throws `ToolFault`. */
export async function prepareHttp(
  scope: Scope,
  tool: Tool,
  params: Record<string, unknown>,
  visitor: Values['visitor'] = null,
): Promise<Prepared> {
  const secrets = await openSecrets(scope, tool.secretNames);
  const resolved = resolveRequest(tool, { params, secrets, visitor });
  const outbound = scope.services.outbound.ownedBy(scope.organizationId);
  return {
    request: resolved.masked,
    hash: resolved.hash,
    host: new URL(resolved.url).hostname,
    send: (signal, headers) => send(scope, outbound, tool, resolved, { signal, headers }),
  };
}

async function send(
  scope: Scope,
  outbound: Outbound,
  tool: Tool,
  { url, request, masker }: Resolved,
  { signal, headers }: { signal?: AbortSignal; headers?: SendHeaders },
): Promise<RequestOutcome> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const added = headers?.({ method: tool.method, url, body: String(request.body ?? '') });
    const sent = added ? { ...inLowerCase(request.headers), ...added } : request.headers;
    const response = await outbound.request(url, {
      ...request,
      headers: sent,
      timeoutMs: tool.timeoutMs,
      maxBytes: MAX_BYTES,
      signal,
    });
    return await outcomeOf(scope, response, elapsed(), tool.responseMapping, masker);
  } catch (error) {
    return { response: null, result: null, error: failureText(error, masker, signal), isUnclear: mayHaveArrived(error) };
  }
}

const inLowerCase = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Failures before a byte was sent. After any other, the receiver may have acted. */
const UNSENT: readonly RefusalKind[] = ['request', 'scheme', 'credentials', 'address', 'tls'];
const UNSENT_CODES = [
  'ENOTFOUND',
  'ENODATA',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Whether a request that failed may have reached the receiver. */
export function mayHaveArrived(error: unknown): boolean {
  if (!(error instanceof OutboundRefused)) return !(error instanceof ToolFault);
  const code = String((error.cause as { code?: unknown } | undefined)?.code ?? '');
  return !UNSENT.includes(error.kind) && !UNSENT_CODES.includes(code);
}

/** The error text of a call that has no usable response. Throws errors that are not the receiver's. */
export function failureText(error: unknown, masker: Masker, signal?: AbortSignal): string {
  if (signal?.aborted) return 'The call was canceled.';
  if (error instanceof ToolFault || error instanceof OutboundRefused) return masker.mask(error.message);
  throw error;
}

async function outcomeOf(
  scope: Scope,
  received: OutboundResponse,
  durationMs: number,
  mapping: ResponseMapping,
  { secrets }: Masker,
): Promise<RequestOutcome> {
  const { status } = received;
  const isSuccess = status >= 200 && status <= 299;
  try {
    const text = readText(received);
    const applied: ResponseMapping = isSuccess ? mapping : { kind: 'raw', truncateChars: mapping.truncateChars };
    const { snippet, excerpt, result, truncated } = await compute(scope, 'mapResponse', { mapping: applied, text, secrets });
    const response = { status, durationMs, snippet, truncated };
    if (isSuccess) return { response, result, error: null };
    const error = `The receiver answered with status ${status}${excerpt ? `: ${excerpt}` : '.'}`;
    return { response, result: null, error, isUnclear: status >= 500 || status === 408 };
  } catch (error) {
    if (!(error instanceof ToolFault)) throw error;
    return { response: { status, durationMs, snippet: '', truncated: false }, result: null, error: error.message, isUnclear: true };
  }
}

const TEXT_TYPE = /^$|^text\/|^application\/([\w.-]+\+)?(json|xml|x-ndjson|javascript|x-www-form-urlencoded|yaml)$/;

function readText({ headers, body }: OutboundResponse): string {
  const contentType = headers['content-type'] ?? '';
  const essence = contentType.split(';')[0]!.trim().toLowerCase();
  if (body.length > 0 && !TEXT_TYPE.test(essence))
    throw new ToolFault(`The receiver answered with ${truncate(essence, 100)}, which is not text.`);
  return decodeText(body, contentType);
}
