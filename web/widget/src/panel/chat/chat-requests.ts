import { randomId } from '../../random-id.ts';

/** A refusal of the service, with the seconds to wait if it names them. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429;
  }

  /** Whether the conversation was deleted. An agent that is switched off has the same status, but another message. */
  get isConversationGone(): boolean {
    return this.status === 404 && this.message === 'Conversation not found';
  }
}

interface SendOptions {
  body?: unknown;
  signal?: AbortSignal;
  /** The request completes when the visitor leaves the page meanwhile. */
  keepalive?: boolean;
  /** The service runs requests with the same key once. */
  idempotencyKey?: string;
}

/** Browsers refuse kept requests above 64 kB in all. */
const isSmall = (body: unknown): boolean => body !== undefined && JSON.stringify(body).length < 16_000;

/** The public endpoints of one agent, for one visitor. */
export class Endpoint {
  /** The body and the key of the last request of each path, until it succeeds. */
  readonly #unanswered = new Map<string, { text: string; idempotencyKey: string }>();

  constructor(
    readonly url: string,
    private readonly visitorId: () => string,
    private readonly identityToken: () => string | undefined = () => undefined,
  ) {}

  /** Throws `Refusal` for an error status, and `TypeError` without a connection. */
  async send(path: string, { body, signal, keepalive, idempotencyKey }: SendOptions = {}): Promise<Response> {
    const token = this.identityToken();
    const response = await fetch(`${this.url}/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-visitor-id': this.visitorId(),
        ...(token && { 'x-identity-token': token }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
      signal,
      keepalive,
    });
    if (response.ok) return response;
    const { message } = (await response.json().catch(() => ({}))) as { message?: unknown };
    const retryAfter = Number(response.headers.get('retry-after')) || undefined;
    throw new Refusal(response.status, typeof message === 'string' ? message : response.statusText, retryAfter);
  }

  async json<T>(path: string, body?: unknown): Promise<T> {
    return (await this.send(path, { body, keepalive: isSmall(body) })).json() as Promise<T>;
  }

  /**
   * Send a body that the service stores once. A repeated body has the same key until it succeeds, because the service may have stored it
   * although its answer was lost.
   */
  async submit(path: string, body: object): Promise<void> {
    const text = JSON.stringify(body);
    const last = this.#unanswered.get(path);
    const idempotencyKey = last?.text === text ? last.idempotencyKey : randomId();
    this.#unanswered.set(path, { text, idempotencyKey });
    await this.send(path, { body, keepalive: isSmall(body), idempotencyKey });
    this.#unanswered.delete(path);
  }
}

/** The URL of a WebSocket, whose path may be relative to the API. */
export function socketUrl(url: string, base: string): string {
  const absolute = new URL(url, base);
  absolute.protocol = absolute.protocol.replace('http', 'ws');
  return absolute.href;
}
