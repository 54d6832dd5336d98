import type * as Sdk from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../../schema/json.ts';
import { truncate } from '../../schema/text.ts';

/** The reason why the server cannot answer a message, with its JSON-RPC error code. */
export interface MessageFault {
  code: number;
  message: string;
  /** The id of the request; null if the message is no request. */
  id: string | number | null;
}

/**
 * Finds the fault of a parsed message: `InvalidRequest` for JSON that is no message, and `InvalidParams` for parameters of a wrong type.
 * The SDK would answer with a parse error or an internal error.
 */
export function messageFault(sdk: typeof Sdk, message: unknown): MessageFault | undefined {
  const { InvalidRequest, InvalidParams } = sdk.ErrorCode;
  // A batch would be counted as one request.
  if (!isObject(message)) return { code: InvalidRequest, message: 'The body must be one JSON-RPC message', id: null };
  const { success, error } = envelopeOf(sdk, message).safeParse(message);
  if (!success && error.issues.some(({ path }) => path[0] !== 'params'))
    return { code: InvalidRequest, message: 'The body is no JSON-RPC message', id: null };
  const { method, id } = message;
  if (id === undefined) return undefined;
  const schema = typeof method === 'string' ? schemasOf(sdk).get(method) : undefined;
  const [issue] = error?.issues ?? schema?.safeParse(message).error?.issues ?? [];
  if (!issue) return undefined;
  return { code: InvalidParams, message: `${truncate(issue.path.map(String).join('.'), 100)}: ${issue.message}`, id: id as string };
}

function envelopeOf(sdk: typeof Sdk, { method, id }: Record<string, unknown>) {
  if (method === undefined) return sdk.JSONRPCMessageSchema;
  return id === undefined ? sdk.JSONRPCNotificationSchema : sdk.JSONRPCRequestSchema;
}

const schemasOf = (sdk: typeof Sdk) =>
  new Map(
    Object.entries({
      initialize: sdk.InitializeRequestSchema,
      ping: sdk.PingRequestSchema,
      'tools/list': sdk.ListToolsRequestSchema,
      'tools/call': sdk.CallToolRequestSchema,
    }),
  );
