/** Why a request was not made, or its answer not taken. */
export type RefusalKind =
  /** Not a well-formed URL, or headers that cannot be sent. */
  | 'request'
  | 'scheme'
  | 'credentials'
  | 'address'
  | 'redirect'
  | 'too_large'
  | 'timeout'
  | 'unreachable'
  | 'tls'
  /** Answered with a status that carries no content (`readPage`, `readImage`). */
  | 'status'
  /** Content of a kind that is not read. */
  | 'type';

/** The message is a sentence for the user who gave the address; what was met on the way is the cause, for the log only. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused';

  constructor(
    readonly kind: RefusalKind,
    message: string,
    options?: ErrorOptions & { status?: number },
  ) {
    super(message, options);
    this.status = options?.status;
  }

  /** The HTTP status that was answered, where that is the reason. */
  readonly status: number | undefined;
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

/** OpenSSL's and Node's names of what can be wrong with a certificate or a handshake. */
const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|PATH_LENGTH_)/;

/** A fault of the network or of the HTTP client as a refusal; a refusal stays what it is. */
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
