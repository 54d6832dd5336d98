/** The reason why a request was not sent or its response was rejected. */
export type RefusalKind =
  /** Malformed URL or headers. */
  | 'request'
  | 'scheme'
  | 'credentials'
  | 'address'
  | 'redirect'
  | 'too_large'
  | 'timeout'
  | 'unreachable'
  | 'tls'
  /** The response has an error status (`readPage`, `readImage`). */
  | 'status'
  /** Unsupported content type. */
  | 'type';

/** An outbound request failed. Users see the message; the cause is for the log only. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';

  constructor(
    readonly kind: RefusalKind,
    message: string,
    options?: ErrorOptions & { status?: number; location?: string },
  ) {
    super(message, options);
    this.status = options?.status;
    this.location = options?.location;
  }

  /** The HTTP status of the response, if it is the reason. */
  readonly status: number | undefined;

  /** The header `location` of a redirect. */
  readonly location: string | undefined;
}

const messages = {
  timeout: 'The address took too long to answer.',
  tls: 'The address could not prove its identity by a valid certificate.',
  unreachable: 'The address could not be reached.',
  too_large: 'The answer is larger than allowed.',
  request: 'The request is not well formed.',
} as const;

const kinds: Record<string, keyof typeof messages> = {
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_INVALID_ARG: 'request',
  HPE_HEADER_OVERFLOW: 'too_large',
  EPROTO: 'tls',
  HOSTNAME_MISMATCH: 'tls',
  INVALID_PURPOSE: 'tls',
};

/** Error codes of OpenSSL and Node for certificates and handshakes. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|PATH_LENGTH_)/;

/** Convert an error of the network or the HTTP client. */
export function refusalFrom(error: unknown): OutboundRefused {
  if (error instanceof OutboundRefused) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  const kind = kinds[code] ?? (tlsCode.test(code) ? 'tls' : 'unreachable');
  return refused(kind, error);
}

export function refused(kind: keyof typeof messages, cause?: unknown): OutboundRefused {
  return new OutboundRefused(kind, messages[kind], { cause });
}

export function refusedStatus(status: number): OutboundRefused {
  return new OutboundRefused('status', `The address answers with status ${status}.`, { status });
}
