import type { GatewayExecutionResult } from '@apollo/server-gateway-interface';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Answer } from '../contract.ts';

/** An answer of the gateway as Apollo Server expects it. */
export function resultOf({ data, errors }: Answer): GatewayExecutionResult {
  if (data === undefined) return { errors: errors?.map(refusalOf) };
  return { data: JSON.parse(data), ...(errors && { errors: errors.map(errorOf) }) };
}

const errorOf = ({ message, path, extensions }: GraphQLFormattedError) => new GraphQLError(message, { path, extensions });

/** Why an operation did not run, with the code that Apollo Server uses for it. */
export function refusalOf(error: GraphQLFormattedError): GraphQLError {
  const isInput = error.extensions?.code === 'INVALID_INPUT';
  return errorOf(isInput ? { ...error, extensions: { ...error.extensions, code: 'BAD_USER_INPUT' } } : error);
}
