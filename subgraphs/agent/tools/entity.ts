import { GraphQLScalarType } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, InputType, Int, ObjectType } from 'type-graphql';
import { column, columns, Deletion, hidden, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import { field, input, list, output } from '../../../platform/fields/index.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** The initializers are the defaults of a new tool. A setting that is set to null returns to its default. */
@ObjectType({ description: 'An HTTP request, or a tool of an MCP server, that the model of an agent may call.' })
@Directive('@key(fields: "id")')
@Table('agent.tools')
export class Tool extends columns(Owned, {
  agentId: column('uuid'),
  mcpServerId: column('uuid', {
    nullable: true,
    description: 'The MCP server that runs the tool; null for a tool with a request of its own.',
  }),
  /** The name of the tool on its MCP server. */
  remoteName: hidden('text', { nullable: true }),
  name: column('string', { length: 64, description: 'The function name that the model sees. Unique within the agent.' }),
  description: column('text', 'Tells the model when and why to use the tool.'),
  inputSchema: column(GraphQLJSONObject, {
    type: 'json',
    initial: { type: 'object' },
    description: 'JSON Schema (2020-12) of the parameters.',
  }).as<Record<string, unknown>>(),
  endpointUrl: column('text', 'The URL of the request, with `{{params.x}}` placeholders.'),
  method: column(enumTypes.ToolMethod, { initial: 'POST' }),
  headersTemplate: column(GraphQLJSONObject, {
    type: 'json',
    initial: {},
    description: 'Request headers, with `{{params.x}}` and `{{secret:NAME}}` placeholders.',
  }).as<Record<string, string>>(),
  queryTemplate: column(GraphQLJSONObject, {
    type: 'json',
    initial: {},
    description: 'Query parameters to add to the URL, with placeholders.',
  }).as<Record<string, string>>(),
  bodyTemplate: column('text', { nullable: true, description: 'The request body, with placeholders; not sent with GET.' }),
  responseMapping: column(() => ResponseMapping, { type: 'json', initial: { kind: 'raw', truncateChars: 8_000 } }),
  effect: column(enumTypes.ToolEffect, {
    nullable: true,
    description: 'Null: GET reads, and the other methods and tools of MCP servers write.',
  }),
  approval: column(enumTypes.ToolApproval, {
    nullable: true,
    description:
      'Null: `visitor` for a tool that writes if the agent requires approvals or its MCP server says so, and `none` otherwise.',
  }),
  confirmation: column('text', {
    nullable: true,
    description: 'The question that the approving person sees, with placeholders; null shows the request.',
  }),
  data: column(enumTypes.ToolData, { initial: 'public' }),
  requiresVerifiedVisitor: column('boolean', {
    initial: false,
    description: 'Whether only visitors whose identity the site has signed can use the tool.',
  }),
  destructive: column('boolean', { initial: false, description: 'Whether its MCP server says that the tool writes or destroys.' }),
  enabled: column('boolean', { initial: true, description: 'Whether the model may call the tool.' }),
  timeoutMs: column('integer', { initial: 5_000, description: 'Time limit of a call, in milliseconds.' }),
  /** Empty for the host of the endpoint. */
  allowedDomains: hidden('array', { initial: [] }),
  /** The secrets that the templates name. */
  secretNames: hidden('array', { initial: [] }),
  ...timestamps,
}) {}

/** The function name of a tool, as model providers accept it. */
export const TOOL_NAME = { minLength: 1, maxLength: 64, pattern: /^[a-z][a-z0-9_]*$/ };

@ObjectType({ description: 'How the response of the receiver becomes the result of a tool.' })
export class ResponseMapping extends output({
  kind: field(enumTypes.ToolResultKind),
  path: field(String, { optional: true, description: 'A JSONPath of RFC 9535; null with `raw`.' }),
  truncateChars: field(Int, 'Characters after which the result is cut.'),
}) {}

@InputType({ description: 'How the response of the receiver becomes the result of a tool.' })
export class NewResponseMapping extends input({
  kind: field(enumTypes.ToolResultKind),
  path: field(String, {
    minLength: 1,
    maxLength: 500,
    nullable: true,
    description: 'A JSONPath of RFC 9535; required with `jsonpath`. No match is null.',
  }),
  truncateChars: field(Int, {
    min: 1,
    max: 100_000,
    nullable: true,
    description: 'Characters after which the result is cut. Default: 8,000.',
  }),
}) {}

@InputType({ description: 'Changes to a tool. Omitted fields stay unchanged; null resets a field to its default.' })
export class ToolChange extends input({
  name: field(String, { ...TOOL_NAME, nullable: true, description: 'The function name that the model sees. Must not be null.' }),
  description: field(String, {
    minLength: 1,
    maxLength: 4_000,
    nullable: true,
    description: 'Tells the model when and why to use the tool. Must not be null.',
  }),
  inputSchema: field(GraphQLJSONObject, {
    nullable: true,
    description:
      'JSON Schema (2020-12) of the parameters. Default: any object. Patterns must not use lookaround or backreferences.',
  }).as<Record<string, unknown>>(),
  endpointUrl: field(String, {
    minLength: 1,
    maxLength: 4_000,
    nullable: true,
    description: 'The URL of the request, with `{{params.x}}` and `{{secret:NAME}}` placeholders after the host. Must not be null.',
  }),
  method: field(enumTypes.ToolMethod, { nullable: true, description: 'Default: `POST`.' }),
  headersTemplate: field(GraphQLJSONObject, {
    nullable: true,
    description: 'Request headers by name, as text with `{{params.x}}` and `{{secret:NAME}}` placeholders. Default: none.',
  }).as<Record<string, unknown>>(),
  queryTemplate: field(GraphQLJSONObject, {
    nullable: true,
    description: 'Query parameters to add to the URL, by name, as text with placeholders. Default: none.',
  }).as<Record<string, unknown>>(),
  bodyTemplate: field(String, {
    maxLength: 100_000,
    nullable: true,
    description: 'The request body with placeholders, not sent with GET. Default: POST, PUT and PATCH send the parameters as JSON.',
  }),
  responseMapping: field(NewResponseMapping, { nullable: true, description: 'Default: `raw`, cut after 8,000.' }),
  effect: field(enumTypes.ToolEffect, {
    nullable: true,
    description: 'Default: GET reads, and the other methods and tools of MCP servers write.',
  }),
  approval: field(enumTypes.ToolApproval, {
    nullable: true,
    description:
      'The party that approves each call. `none` for a tool that writes needs `confirmUnprotected`. Default: `visitor` for a tool that writes if the agent requires approvals or its MCP server says so, else `none`.',
  }),
  confirmUnprotected: field(String, {
    maxLength: 255,
    nullable: true,
    description:
      'The name of the tool, to confirm that it writes without an approval: whoever can make the model call it, also by a text that the model reads, causes its effect.',
  }),
  confirmation: field(String, {
    minLength: 1,
    maxLength: 1_000,
    nullable: true,
    description: 'The question that the approving person sees, with `{{params.x}}` and `{{visitor.x}}`. Default: the request.',
  }),
  data: field(enumTypes.ToolData, {
    nullable: true,
    description: 'After a `personal` result, calls to other hosts need an approval. Default: `public`.',
  }),
  requiresVerifiedVisitor: field(Boolean, {
    nullable: true,
    description: 'Whether only visitors whose identity the site has signed can use the tool. Default: false.',
  }),
  enabled: field(Boolean, { nullable: true, description: 'Whether the model may call the tool. Default: true.' }),
  timeoutMs: field(Int, {
    min: 500,
    max: 30_000,
    nullable: true,
    description: 'Time limit of a call, in milliseconds. Default: 5,000.',
  }),
  allowedDomains: list(String, {
    maxItems: 50,
    minLength: 1,
    maxLength: 254,
    nullable: true,
    description:
      'Hosts that the tool may call; an entry that starts with a dot matches the subdomains of a host. Default: the host of the endpoint.',
  }),
}) {}

@InputType({ description: 'The settings of a new tool.' })
export class NewTool extends input(ToolChange, {
  name: field(String, { ...TOOL_NAME, description: 'The function name that the model sees. Unique within the agent.' }),
  description: field(String, { minLength: 1, maxLength: 4_000, description: 'Tells the model when and why to use the tool.' }),
  endpointUrl: field(String, {
    minLength: 1,
    maxLength: 4_000,
    description: 'The URL of the request, with `{{params.x}}` and `{{secret:NAME}}` placeholders after the host.',
  }),
}) {}

@ObjectType({ description: 'Confirms that a tool was deleted.' })
export class DeletedTool extends Deletion {}

@ObjectType({ description: 'The request of a tool call, with secrets replaced by `••••`.' })
export class ToolRequest extends output({
  method: field(String),
  url: field(String, 'The whole URL, including the query.'),
  headers: field(GraphQLJSONObject).as<Record<string, string>>(),
  query: field(GraphQLJSONObject, 'The query parameters of the URL.').as<Record<string, string>>(),
  body: field(String, { nullable: true }),
}) {}

@ObjectType({ description: 'The response of the receiver of a tool call.' })
class ToolResponse extends output({
  status: field(Int, 'The HTTP status.'),
  durationMs: field(Int, 'Milliseconds from the request to the last byte.'),
  snippet: field(String, 'The start of the response text, with secrets replaced by `••••`.'),
  truncated: field(Boolean, 'Whether the snippet or the result is cut to `truncateChars`.'),
}) {}

export const ToolResultScalar = new GraphQLScalarType({
  name: 'ToolResult',
  description: 'The output of a tool: text, or the JSON that its path selects.',
});

@ObjectType({ description: 'The outcome of a dry run of a tool.' })
export class ToolTest extends output({
  request: field(ToolRequest, { nullable: true, description: 'Null if the parameters do not make a valid request.' }),
  response: field(ToolResponse, { nullable: true, description: 'Null if the receiver did not answer.' }),
  result: field(ToolResultScalar, { nullable: true, description: 'The output that the model would receive.' }).as<unknown>(),
  error: field(String, { nullable: true, description: 'The reason why the call failed; null if it succeeded.' }),
}) {}

/** Headers that the service adds to a call, for the receiver. They are no part of the approved request. */
export type SendHeaders = (request: { method: string; url: string; body: string }) => Record<string, string>;

/** A call that passed all checks and is ready to send. */
export interface Prepared {
  /** The masked request. */
  request: ToolRequest;
  /** Identifies the whole request with its secrets, so that an approval is for exactly this one. */
  hash: string;
  /** The host that receives it. */
  host: string;
  /** Send the request. Never throws for a failure of the receiver; the outcome contains the error. */
  send(signal?: AbortSignal, headers?: SendHeaders): Promise<RequestOutcome>;
}

/** The result of a call for the model. */
export type ToolAnswer = { output: unknown } | { error: string };

/** The outcome of a sent request. All texts are masked. */
export interface RequestOutcome {
  /** The receiver may have acted, although it did not confirm it. */
  isUnclear?: boolean;
  response: ToolResponse | null;
  result: unknown;
  error: string | null;
}
