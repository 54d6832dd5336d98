import { isObject, type JsonObject } from '../../../schema/json.ts';
import { truncate } from '../../../schema/text.ts';
import type { ResponseMapping } from '../tools/entity.ts';
import { Masker } from '../tools/masking.ts';
import { ToolFault } from '../tools/templates.ts';
import { type Mapped, mapResponse, stringify } from '../tools/tool-response.ts';

/** The answer to a request: the JSON text of its result, or an error. */
export type McpAnswer = { result: string } | { error: { code: number; message: string } };

/** The messages of a JSON text of a server: their number, and the awaited answer if it is among them. */
export interface FoundAnswer {
  messages: number;
  answer?: McpAnswer;
}

const MAX_MESSAGE = 1_000;

/** Find the answer to a request in a JSON text, which is one message or an array of messages. Throws `ToolFault` for other text. */
export function findAnswer({ text, id }: { text: string; id: number | string }): FoundAnswer {
  const parsed = parse(text);
  const messages: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  const found = messages.find((each) => isObject(each) && each.id === id && each.method === undefined) as JsonObject | undefined;
  return { messages: messages.length, answer: found && answerOf(found) };
}

function answerOf({ result, error }: JsonObject): McpAnswer {
  if (isObject(result)) return { result: stringify(result) };
  const { code, message } = isObject(error) ? error : {};
  if (typeof code !== 'number' || typeof message !== 'string')
    throw new ToolFault('The MCP server answered with a malformed result.');
  return { error: { code, message: truncate(message, MAX_MESSAGE) } };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolFault('The MCP server could not be used: it did not answer with JSON.');
  }
}

/** A tool as its server describes it. */
export interface RemoteTool {
  name: string;
  description: string;
  inputSchema: JsonObject;
  /** Whether the server says that the tool writes or destroys. */
  destructive: boolean;
  /** Why no agent can use it. Its schema is left out. */
  fault?: string;
}

const MAX_DESCRIPTION = 4_000;

/** Read the first `limit` tools of a page. Secrets are masked. Throws `ToolFault` for a malformed list. */
export function readToolPage({ text, limit, secrets }: { text: string; limit: number; secrets: readonly string[] }): {
  tools: RemoteTool[];
  nextCursor?: string;
} {
  const { tools, nextCursor } = parse(text) as JsonObject;
  const listed: unknown[] = Array.isArray(tools) ? tools.slice(0, limit) : [undefined];
  if (!listed.every(isTool)) throw new ToolFault('The MCP server answered with a malformed list of tools.');
  const offered = listed.map(({ name, description, annotations, inputSchema: { $schema: _, ...inputSchema } }) => ({
    name,
    description: truncate(description ?? '', MAX_DESCRIPTION) || name,
    inputSchema,
    destructive: isObject(annotations) && (annotations.destructiveHint === true || annotations.readOnlyHint === false),
  }));
  const masker = new Masker(secrets);
  return {
    tools: offered.map((tool) => masked(tool, masker)),
    nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined,
  };
}

/** A schema that is nested too deeply makes only its own tool unusable. */
function masked({ inputSchema, ...tool }: RemoteTool, masker: Masker): RemoteTool {
  const shown = masker.maskValue(tool) as Omit<RemoteTool, 'inputSchema'>;
  try {
    return { ...shown, inputSchema: masker.maskValue(inputSchema) as JsonObject };
  } catch (error) {
    if (!(error instanceof ToolFault)) throw error;
    return { ...shown, inputSchema: {}, fault: 'inputSchema is nested too deeply' };
  }
}

/** The server may send anything. */
const isTool = (
  each: unknown,
): each is Omit<RemoteTool, 'description' | 'destructive'> & { description?: string; annotations?: unknown } =>
  isObject(each) &&
  typeof each.name === 'string' &&
  (each.description === undefined || typeof each.description === 'string') &&
  isObject(each.inputSchema);

/** Map the result of a call like the response of an HTTP tool. Throws `ToolFault`. */
export function mapToolResult({
  text,
  mapping,
  secrets,
}: {
  text: string;
  mapping: ResponseMapping;
  secrets: readonly string[];
}): Mapped & { isError: boolean } {
  const { structuredContent, content = [], isError } = parse(text) as JsonObject;
  if (!Array.isArray(content)) throw new ToolFault('The MCP server answered with a malformed result.');
  const shown = isObject(structuredContent) ? stringify(structuredContent) : content.map(textOf).join('\n');
  const applied: ResponseMapping = isError ? { kind: 'raw', truncateChars: mapping.truncateChars } : mapping;
  return { ...mapResponse({ mapping: applied, text: shown, secrets }), isError: Boolean(isError) };
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The server may send anything. */
function textOf(content: unknown): string {
  const { type, text, resource } = isObject(content) ? content : {};
  if (type === 'text') return textIn(text) ?? '';
  if (type === 'resource' && isObject(resource)) return textIn(resource.text) ?? `[${textIn(resource.uri) ?? 'unknown'}]`;
  return `[${textIn(type) ?? 'unknown'}]`;
}
