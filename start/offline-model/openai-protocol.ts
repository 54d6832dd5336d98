import { isObject, type JsonObject } from '../../schema/json.ts';

/** Marks completions in `model` and `system_fingerprint` as not from a language model. */
export const OFFLINE_MODEL = 'offline-model';

/** An error in OpenAI's format. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string | null,
    readonly param: string | null = null,
  ) {
    super(message);
  }

  get body() {
    return {
      message: this.message,
      type: this.status < 500 ? 'invalid_request_error' : 'server_error',
      param: this.param,
      code: this.code,
    };
  }
}

export const invalid = (message: string, param: string | null) => new RequestError(400, message, null, param);

export interface PromptMessage {
  role: string;
  text: string;
  /** The tool calls of an assistant. */
  calls?: { id: string; name: string }[];
  /** The call that a message of the role `tool` answers. */
  callId?: string;
}

/** A function that the model may call. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
}

export interface ChatRequest {
  messages: PromptMessage[];
  /** Empty when the model may not call any. */
  tools: OfferedTool[];
  /** Schema of the reply, if requested. */
  schema?: JsonObject;
  /** Name of the schema. */
  schemaName?: string;
  /** Whether the reply may be any JSON object. */
  json: boolean;
  stream: boolean;
  streamUsage: boolean;
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** Validate a body of `/chat/completions`; ignores unused fields. */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isObject(body)) throw invalid('The body must be a JSON object.', null);
  if (typeof body.model !== 'string' || !body.model) throw invalid('You must provide a model parameter.', 'model');
  if (!Array.isArray(body.messages) || body.messages.length === 0)
    throw invalid("'messages' must be a list with at least one message.", 'messages');
  const format = body.response_format;
  const type = isObject(format) ? format.type : 'text';
  if (type !== 'text' && type !== 'json_object' && type !== 'json_schema') {
    throw invalid("'response_format.type' must be text, json_object or json_schema.", 'response_format');
  }
  const named = isObject(format) && isObject(format.json_schema) ? format.json_schema : undefined;
  if (type === 'json_schema' && !(named && typeof named.name === 'string' && isObject(named.schema))) {
    throw invalid("'response_format.json_schema' must have a name and a schema.", 'response_format.json_schema');
  }
  return {
    messages: body.messages.map(readMessage),
    tools: body.tool_choice === 'none' || !Array.isArray(body.tools) ? [] : body.tools.flatMap(readTool),
    schema: type === 'json_schema' ? (named?.schema as JsonObject) : undefined,
    schemaName: type === 'json_schema' ? String(named?.name) : undefined,
    json: type !== 'text',
    stream: body.stream === true,
    streamUsage: isObject(body.stream_options) && body.stream_options.include_usage === true,
  };
}

function readTool(tool: unknown): OfferedTool[] {
  const written = isObject(tool) ? tool.function : undefined;
  if (!isObject(written) || typeof written.name !== 'string') throw invalid("'tools' must be a list of functions.", 'tools');
  const { name, description, parameters } = written;
  return [{ name, description: String(description ?? ''), parameters: isObject(parameters) ? parameters : {} }];
}

function readMessage(message: unknown, index: number): PromptMessage {
  if (!isObject(message) || !ROLES.includes(String(message.role))) {
    throw invalid(`'messages[${index}].role' must be one of ${ROLES.join(', ')}.`, `messages[${index}].role`);
  }
  const { role, content, tool_calls, tool_call_id } = message;
  const links = {
    ...(Array.isArray(tool_calls) && { calls: tool_calls.flatMap(readCall) }),
    ...(typeof tool_call_id === 'string' && { callId: tool_call_id }),
  };
  if (typeof content === 'string') return { role: String(role), text: content, ...links };
  // An assistant message with only tool calls has no content.
  if ((content === null || content === undefined) && role === 'assistant') return { role, text: '', ...links };
  if (!Array.isArray(content))
    throw invalid(`'messages[${index}].content' must be text or a list of parts.`, `messages[${index}].content`);
  const texts = content.filter((part): part is { text: string } => isObject(part) && typeof part.text === 'string');
  return { role: String(role), text: texts.map(({ text }) => text).join('\n'), ...links };
}

function readCall(call: unknown): { id: string; name: string }[] {
  const named = isObject(call) && isObject(call.function) ? call.function.name : undefined;
  return isObject(call) && typeof call.id === 'string' && typeof named === 'string' ? [{ id: call.id, name: named }] : [];
}
