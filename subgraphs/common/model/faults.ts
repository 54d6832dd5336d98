import { APIConnectionTimeoutError, APIError } from 'openai';
import { log } from '../log.ts';

/**
 * The provider could not answer now; the same request may succeed later. The message is part of a sentence for customers ("The model
 * provider could not answer: …"), so it names nothing of the operator's: no host, model or variable.
 */
export class ProviderFault extends Error {
  override name = 'ProviderFault';

  constructor(
    message: string,
    /** How long the provider asked to be left alone. */
    readonly retryAfterMs?: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The provider will answer this the same way every time. The message is a sentence for customers, as above. */
export class ProviderRefusal extends Error {
  override name = 'ProviderRefusal';

  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }

  /** The provider has no such endpoint, or not with these parameters. */
  get isUnsupported(): boolean {
    return this.status === 400 || this.status === 404;
  }
}

interface About {
  model: string;
  host: string;
}

/**
 * Sorts what the provider's client threw, and logs what the operator needs to know about it. Neither repeats the provider's own message,
 * which may quote a part of the key.
 */
export function classify(error: unknown, about: About): ProviderFault | ProviderRefusal {
  const { status, code } = error instanceof APIError ? error : {};
  const sorted = sort(error);
  const hint = (code && hints[code]) ?? (status && hints[status]) ?? undefined;
  log.warn({ ...about, status, code, hint, reason: sorted.message }, 'the model provider did not answer a request');
  return sorted;
}

function sort(error: unknown): ProviderFault | ProviderRefusal {
  if (error instanceof APIConnectionTimeoutError) return tooLate();
  if (!(error instanceof APIError)) return new ProviderFault('its answer cannot be read', undefined, { cause: error });
  const { status, code } = error;
  if (status === undefined) return new ProviderFault('it cannot be reached');
  if (code === 'insufficient_quota') return new ProviderRefusal(UNAVAILABLE, status);
  if (status === 429 || status === 408 || status === 409 || status >= 500)
    return new ProviderFault(`it answered with status ${status}`, retryAfter(error.headers));
  if (status === 401 || status === 403 || status === 404) return new ProviderRefusal(UNAVAILABLE, status);
  return new ProviderRefusal(
    code === 'context_length_exceeded'
      ? 'The text is too long for the model.'
      : `The model provider refused the request with status ${status}.`,
    status,
  );
}

/** The provider did not send its whole answer within the time limit. */
export const tooLate = () => new ProviderFault('it did not answer in time');

const UNAVAILABLE = 'The model provider does not accept requests of this service.';

/** What the operator can do, by the provider's code or the status. */
const hints: Record<string | number, string> = {
  insufficient_quota: 'the account has no quota left; add credit or raise its limit',
  401: 'the API key is not accepted; check OPENAI_API_KEY',
  403: 'the API key may not use the model',
  404: 'the model is unknown; check OPENAI_BASE_URL and the MODEL_ variables',
};
/** In milliseconds, from `retry-after-ms` or `retry-after`, which is seconds or a date. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const inMs = headers?.get('retry-after-ms');
  const written = headers?.get('retry-after');
  const wait = inMs
    ? Number(inMs)
    : written
      ? Number.isNaN(Number(written))
        ? Date.parse(written) - Date.now()
        : Number(written) * 1000
      : Number.NaN;
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}
