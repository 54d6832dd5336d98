import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, InputType, Int, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { Limited } from '../../../platform/input/index.ts';
import { TOOL_NAME, Tool } from '../tools/entity.ts';

@ObjectType({ description: 'A server of the Model Context Protocol (streamable HTTP) whose tools an agent may use.' })
@Entity({ schema: 'agent', tableName: 'mcp_servers' })
export class McpServer extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the agent.' })
  name!: string;

  @FieldProperty({ type: 'text', description: 'The URL that receives the requests of the protocol.' })
  url!: string;

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', description: 'Request headers, with `{{secret:NAME}}` placeholders.' })
  headersTemplate: Opt<Record<string, string>> = {};

  @FieldProperty({ type: 'integer', description: 'Time limit of an operation of the server, in milliseconds.' })
  timeoutMs: Opt<number> = 10_000;

  /** The secrets that the headers name. */
  @Property({ type: 'array' })
  secretNames: Opt<string[]> = [];

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

@InputType({ description: 'Changes to an MCP server. Omitted fields stay unchanged; null resets a field to its default.' })
export class McpServerChange {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { nullable: true, description: 'Must not be null.' })
  name?: string | null;

  @Limited({ minLength: 1, maxLength: 2_000, format: 'uri' })
  @Field(() => String, { nullable: true, description: 'The URL that receives the requests of the protocol. Must not be null.' })
  url?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Request headers by name, as text with `{{secret:NAME}}` placeholders. Default: none.',
  })
  headersTemplate?: Record<string, unknown> | null;

  @Limited({ min: 500, max: 30_000 })
  @Field(() => Int, { nullable: true, description: 'Time limit of an operation of the server, in milliseconds. Default: 10,000.' })
  timeoutMs?: number | null;
}

@InputType({ description: 'The settings of a new MCP server.' })
export class NewMcpServer extends McpServerChange {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String, { description: 'Unique within the agent.' })
  declare name: string;

  @Limited({ minLength: 1, maxLength: 2_000, format: 'uri' })
  @Field(() => String, { description: 'The URL that receives the requests of the protocol.' })
  declare url: string;
}

@InputType({ description: 'Chooses a tool of an MCP server for the agent.' })
export class NewMcpTool {
  @Limited({ minLength: 1, maxLength: 256 })
  @Field(() => String, { description: 'The name of the tool on the server.' })
  remoteName!: string;

  @Limited(TOOL_NAME)
  @Field(() => String, {
    nullable: true,
    description: 'The function name that the model sees. Default: derived from `remoteName`.',
  })
  name?: string | null;
}

@ObjectType({ description: 'A tool that an MCP server offers.' })
export class McpTool {
  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'The text of the server. It reaches the model only if the tool is chosen.' })
  description!: string;

  @Field(() => GraphQLJSONObject, { description: 'JSON Schema of the parameters.' })
  inputSchema!: Record<string, unknown>;

  @Field(() => String, {
    nullable: true,
    description: 'Why the tool cannot be chosen: its schema is nested too deeply, and is left out. Null for other tools.',
  })
  fault!: string | null;

  @Field(() => Tool, { nullable: true, description: 'The tool of the agent, if this one was chosen.' })
  tool!: Tool | null;
}

@ObjectType({ description: 'Confirms that an MCP server was deleted.' })
export class DeletedMcpServer extends Deletion {}
