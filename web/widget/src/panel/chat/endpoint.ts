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

/** The public endpoints of one agent, for one visitor. */
export class Endpoint {
  constructor(
    readonly url: string,
    private readonly visitorId: () => string,
  ) {}

  /** Throws `Refusal` for an error status, and `TypeError` without a connection. */
  async send(path: string, { body, signal }: { body?: unknown; signal?: AbortSignal } = {}): Promise<Response> {
    const response = await fetch(`${this.url}/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-visitor-id': this.visitorId(), ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
      signal,
    });
    if (response.ok) return response;
    const { message } = (await response.json().catch(() => ({}))) as { message?: unknown };
    const retryAfter = Number(response.headers.get('retry-after')) || undefined;
    throw new Refusal(response.status, typeof message === 'string' ? message : response.statusText, retryAfter);
  }

  async json<T>(path: string, body?: unknown): Promise<T> {
    return (await this.send(path, { body })).json() as Promise<T>;
  }
}
