import { GraphQLJSONObject } from 'graphql-scalars';
import { InputType, Int, ObjectType } from 'type-graphql';
import { column, columns, Deletion, hidden, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import { field, input, output } from '../../../platform/fields/index.ts';
import { TOOL_NAME, Tool } from '../tools/entity.ts';

@ObjectType({ description: 'A server of the Model Context Protocol (streamable HTTP) whose tools an agent may use.' })
@Table('agent.mcp_servers')
export class McpServer extends columns(Owned, {
  agentId: column('uuid'),
  name: column('string', { length: 64, description: 'Unique within the agent.' }),
  url: column('text', 'The URL that receives the requests of the protocol.'),
  headersTemplate: column(GraphQLJSONObject, {
    type: 'json',
    initial: {},
    description: 'Request headers, with `{{secret:NAME}}` placeholders.',
  }).as<Record<string, string>>(),
  timeoutMs: column('integer', { initial: 10_000, description: 'Time limit of an operation of the server, in milliseconds.' }),
  /** The secrets that the headers name. */
  secretNames: hidden('array', { initial: [] }),
  ...timestamps,
}) {}

@InputType({ description: 'Changes to an MCP server. Omitted fields stay unchanged; null resets a field to its default.' })
export class McpServerChange extends input({
  name: field(String, { minLength: 1, maxLength: 64, nullable: true, description: 'Must not be null.' }),
  url: field(String, {
    minLength: 1,
    maxLength: 2_000,
    format: 'uri',
    nullable: true,
    description: 'The URL that receives the requests of the protocol. Must not be null.',
  }),
  headersTemplate: field(GraphQLJSONObject, {
    nullable: true,
    description: 'Request headers by name, as text with `{{secret:NAME}}` placeholders. Default: none.',
  }).as<Record<string, unknown>>(),
  timeoutMs: field(Int, {
    min: 500,
    max: 30_000,
    nullable: true,
    description: 'Time limit of an operation of the server, in milliseconds. Default: 10,000.',
  }),
}) {}

@InputType({ description: 'The settings of a new MCP server.' })
export class NewMcpServer extends input(McpServerChange, {
  name: field(String, { minLength: 1, maxLength: 64, description: 'Unique within the agent.' }),
  url: field(String, {
    minLength: 1,
    maxLength: 2_000,
    format: 'uri',
    description: 'The URL that receives the requests of the protocol.',
  }),
}) {}

@InputType({ description: 'Chooses a tool of an MCP server for the agent.' })
export class NewMcpTool extends input({
  remoteName: field(String, { minLength: 1, maxLength: 256, description: 'The name of the tool on the server.' }),
  name: field(String, {
    ...TOOL_NAME,
    nullable: true,
    description: 'The function name that the model sees. Default: derived from `remoteName`.',
  }),
}) {}

@ObjectType({ description: 'A tool that an MCP server offers.' })
export class McpTool extends output({
  name: field(String),
  description: field(String, 'The text of the server. It reaches the model only if the tool is chosen.'),
  inputSchema: field(GraphQLJSONObject, 'JSON Schema of the parameters.').as<Record<string, unknown>>(),
  fault: field(String, {
    nullable: true,
    description: 'Why the tool cannot be chosen: its schema is nested too deeply, and is left out. Null for other tools.',
  }),
  tool: field(Tool, { nullable: true, description: 'The tool of the agent, if this one was chosen.' }),
}) {}

@ObjectType({ description: 'Confirms that an MCP server was deleted.' })
export class DeletedMcpServer extends Deletion {}
