import { GraphQLError } from 'graphql';

/** Codes of errors that the gateway itself reports under `extensions.code`. */
export type GatewayErrorCode = 'INVALID_INPUT' | 'LIMIT_REACHED' | 'UNAVAILABLE' | 'INTERNAL_SERVER_ERROR';

/** An error of the gateway with its code. */
export const fail = (code: GatewayErrorCode, message: string): GraphQLError => new GraphQLError(message, { extensions: { code } });

const verbatim = new WeakSet<object>();

/** Mark the extensions of an error that callers see unmasked. */
export function markVerbatim<Extensions extends object>(extensions: Extensions): Extensions {
  verbatim.add(extensions);
  return extensions;
}

/** Whether an error comes from a subgraph in `GatewayOptions.verbatim`. A server that masks errors passes these on unchanged. */
export const isVerbatim = (extensions: object): boolean => verbatim.has(extensions);
