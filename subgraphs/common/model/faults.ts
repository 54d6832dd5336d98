import { APIConnectionTimeoutError, APIError } from 'openai';

/** The provider could not answer now; the same request may succeed later. */
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

/** The provider will answer this the same way every time; the operator, or the data, has to change. */
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

/** Sort what the provider's client threw. Messages are ours: the provider's own may quote a part of the key. */
export function classify(error: unknown, about: { model: string; host: string }): Error {
  if (error instanceof APIConnectionTimeoutError) return new ProviderFault(`${about.host} did not answer in time`);
  if (!(error instanceof APIError))
    return new ProviderFault(`${about.host} sent an answer that cannot be read`, undefined, { cause: error });
  const { status, code } = error;
  if (status === undefined) return new ProviderFault(`${about.host} cannot be reached`);
  if (code === 'insufficient_quota')
    return new ProviderRefusal(`The account at ${about.host} has no quota left; add credit or raise its limit`);
  if (status === 429 || status === 408 || status === 409 || status >= 500) {
    return new ProviderFault(`${about.host} answered ${status}`, retryAfter(error.headers));
  }
  return new ProviderRefusal(
    refusals[status]?.(about) ?? `${about.host} refused the request with status ${status}${code ? ` (${code})` : ''}`,
    status,
  );
}

const refusals: Record<number, (about: { model: string; host: string }) => string> = {
  401: ({ host }) => `${host} does not accept the API key; check OPENAI_API_KEY`,
  403: ({ host, model }) => `The API key may not use the model '${model}' at ${host}`,
  404: ({ host, model }) => `${host} knows no model '${model}'; check OPENAI_BASE_URL and the MODEL_ variables`,
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
