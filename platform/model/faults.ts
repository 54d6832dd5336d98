import { APIConnectionTimeoutError, APIError } from 'openai';
import { clock } from '../database/index.ts';
import { log } from '../telemetry/index.ts';

/**
 * A temporary error of the provider; the same request may succeed later. Customers see the message ("The model provider could not
 * answer: …"), so it must not name hosts, models or variables of the operator.
 */
export class ProviderFault extends Error {
  override name = 'ProviderFault';
  /** Delay that the provider requested before a retry. */
  readonly retryAfterMs?: number;
  /** The provider rejects the rate of the requests, not this request. */
  readonly isThrottled: boolean;
  /** The request timed out while others were answered, so it probably waited in a queue of the provider. */
  readonly wasQueued: boolean;

  constructor(
    message: string,
    {
      retryAfterMs,
      isThrottled = false,
      wasQueued = false,
      ...options
    }: ErrorOptions & { retryAfterMs?: number; isThrottled?: boolean; wasQueued?: boolean } = {},
  ) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
    this.isThrottled = isThrottled;
    this.wasQueued = wasQueued;
  }
}

/** A permanent error of the provider. Customers see the message, as above. */
export class ProviderRefusal extends Error {
  override name = 'ProviderRefusal';

  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }

  /** Whether the provider refuses the service, and not only this request. */
  get concernsService(): boolean {
    return this.message === UNAVAILABLE;
  }

  /** Whether another content may be accepted. */
  get concernsContent(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422;
  }

  /** Whether the provider does not support the endpoint or its parameters. */
  get isUnsupported(): boolean {
    return this.status === 400 || this.status === 404;
  }
}

const UNAVAILABLE = 'The model provider does not accept requests of this service.';

interface ProviderContext {
  model: string;
  host: string;
  /** Called for a time-out. Whether the provider answered other requests meanwhile. */
  timedOut?(): boolean;
}

/**
 * Classify an error of the provider's client, and log it with a hint for the operator. The result and the log omit the message of the
 * provider, which may contain a part of the key.
 */
export function classify(error: unknown, { timedOut, ...context }: ProviderContext): ProviderFault | ProviderRefusal {
  const { status, code } = error instanceof APIError ? error : {};
  const isTimeout = error instanceof APIConnectionTimeoutError || (status !== undefined && TIMEOUTS.has(status));
  const wasQueued = isTimeout && (timedOut?.() ?? false);
  const classified = classifyError(error, wasQueued);
  const hint = (code && hints[code]) ?? (status && hints[status]) ?? undefined;
  log.warn({ ...context, status, code, hint, reason: classified.message }, 'Model provider request failed');
  return classified;
}

/** Statuses of a time-out: of the provider, and of a proxy before it. */
const TIMEOUTS = new Set([408, 504]);

function classifyError(error: unknown, wasQueued: boolean): ProviderFault | ProviderRefusal {
  if (error instanceof APIConnectionTimeoutError) return new ProviderFault('it did not answer in time', { wasQueued });
  if (!(error instanceof APIError)) return new ProviderFault('its answer cannot be read', { cause: error });
  const { status, code } = error;
  if (status === undefined) return new ProviderFault('it cannot be reached');
  if (code === 'insufficient_quota') return new ProviderRefusal(UNAVAILABLE, status);
  if (status === 429 || status === 408 || status === 409 || status >= 500)
    return new ProviderFault(`it answered with status ${status}`, {
      retryAfterMs: retryAfter(error.headers),
      isThrottled: status === 429,
      wasQueued,
    });
  if (status === 401 || status === 403 || status === 404) return new ProviderRefusal(UNAVAILABLE, status);
  return new ProviderRefusal(
    isTooLong(error) ? 'The text is too long for the model.' : `The model provider refused the request with status ${status}.`,
    status,
  );
}

/** OpenAI names the reason in the code, and llama.cpp in the type. */
const isTooLong = ({ code, type }: APIError) => code === 'context_length_exceeded' || type === 'exceed_context_size_error';

/** Hints for the operator, by error code or status. */
const hints: Record<string | number, string> = {
  insufficient_quota: 'the account has no quota left; add credit or raise its limit',
  401: 'the API key is not accepted; check OPENAI_API_KEY',
  403: 'the API key may not use the model',
  404: 'the model is unknown; check OPENAI_BASE_URL and the MODEL_ variables',
};

/** Milliseconds from `retry-after-ms` or `retry-after`, which contains seconds or a date. */
export function retryAfter(headers: Pick<Headers, 'get'> | undefined): number | undefined {
  const wait = waitOf(headers?.get('retry-after-ms'), headers?.get('retry-after'));
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}

function waitOf(milliseconds: string | null | undefined, secondsOrDate: string | null | undefined): number {
  if (milliseconds) return Number(milliseconds);
  if (!secondsOrDate) return Number.NaN;
  const seconds = Number(secondsOrDate);
  return Number.isNaN(seconds) ? Date.parse(secondsOrDate) - clock.ms() : seconds * 1_000;
}
