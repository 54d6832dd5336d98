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
  too_large: 'The response is larger than allowed.',
  request: 'The request is not well formed.',
} as const;

/** Messages that are clearer than that of the kind. */
const details: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate of the address has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the address is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the address is for another host name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the address is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate of the address is not from a trusted authority.',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate of the address is not from a trusted authority.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate of the address is not from a trusted authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate of the address is not from a trusted authority.',
  ENOTFOUND: 'The host name of the address does not exist.',
  ENODATA: 'The host name of the address does not exist.',
  ETIMEOUT: 'The host name of the address could not be resolved in time.',
  EAI_AGAIN: 'The host name of the address could not be resolved.',
  ESERVFAIL: 'The host name of the address could not be resolved.',
  EREFUSED: 'The host name of the address could not be resolved.',
};

const kinds: Record<string, keyof typeof messages> = {
  ETIMEOUT: 'timeout',
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
  return new OutboundRefused(kind, details[code] ?? messages[kind], { cause: error });
}

export function refused(kind: keyof typeof messages, cause?: unknown): OutboundRefused {
  return new OutboundRefused(kind, messages[kind], { cause });
}

export function refusedStatus(status: number): OutboundRefused {
  return new OutboundRefused('status', `The address answers with status ${status}.`, { status });
}
