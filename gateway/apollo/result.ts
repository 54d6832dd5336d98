import type { GatewayExecutionResult } from '@apollo/server-gateway-interface';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Answer } from '../contract.ts';

/** Convert an answer of the gateway to the result that Apollo Server expects. */
export function resultOf({ data, errors }: Answer): GatewayExecutionResult {
  if (data === undefined) return { errors: errors?.map(refusalOf) };
  return { data: JSON.parse(data), ...(errors && { errors: errors.map(errorOf) }) };
}

const errorOf = ({ message, path, extensions }: GraphQLFormattedError) => new GraphQLError(message, { path, extensions });

/** Convert the error of an operation that did not run; `INVALID_INPUT` becomes Apollo's `BAD_USER_INPUT`. */
export function refusalOf(error: GraphQLFormattedError): GraphQLError {
  const isInput = error.extensions?.code === 'INVALID_INPUT';
  return errorOf(isInput ? { ...error, extensions: { ...error.extensions, code: 'BAD_USER_INPUT' } } : error);
}
