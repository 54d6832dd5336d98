import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ResponseMapping } from './types.ts';

/** The initializers are the defaults of a new tool. A setting that is set to null returns to its default. */
@ObjectType({ description: 'An HTTP request, or a tool of an MCP server, that the model of an agent may call.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'agent', tableName: 'tools' })
export class Tool extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => ID, { nullable: true, description: 'The MCP server that runs the tool; null for a tool with a request of its own.' })
  @Property({ type: 'uuid', nullable: true })
  mcpServerId: string | null = null;

  /** The name of the tool on its MCP server. */
  @Property({ type: 'text', nullable: true })
  remoteName: string | null = null;

  @Field(() => String, { description: 'The function name that the model sees. Unique within the agent.' })
  @Property({ type: 'string', length: 64 })
  name!: string;

  @Field(() => String, { description: 'Tells the model when and why to use the tool.' })
  @Property({ type: 'text' })
  description!: string;

  @Field(() => GraphQLJSONObject, { description: 'JSON Schema (2020-12) of the parameters.' })
  @Property({ type: 'json' })
  inputSchema: Opt<Record<string, unknown>> = { type: 'object' };

  @Field(() => String, { description: 'The URL of the request, with `{{params.x}}` placeholders.' })
  @Property({ type: 'text' })
  endpointUrl!: string;

  @Field(() => enumTypes.ToolMethod)
  @Property({ type: 'string' })
  method: Opt<EnumValue<'ToolMethod'>> = 'POST';

  @Field(() => GraphQLJSONObject, { description: 'Request headers, with `{{params.x}}` and `{{secret:NAME}}` placeholders.' })
  @Property({ type: 'json' })
  headersTemplate: Opt<Record<string, string>> = {};

  @Field(() => GraphQLJSONObject, { description: 'Query parameters to add to the URL, with placeholders.' })
  @Property({ type: 'json' })
  queryTemplate: Opt<Record<string, string>> = {};

  @Field(() => String, { nullable: true, description: 'The request body, with placeholders; not sent with GET.' })
  @Property({ type: 'text', nullable: true })
  bodyTemplate: string | null = null;

  @Field(() => ResponseMapping)
  @Property({ type: 'json' })
  responseMapping: Opt<ResponseMapping> = { kind: 'raw', truncateChars: 8_000 };

  @Field(() => Boolean, { description: 'Whether the model may call the tool.' })
  @Property({ type: 'boolean' })
  enabled: Opt<boolean> = true;

  @Field(() => Int, { description: 'Time limit of a call, in milliseconds.' })
  @Property({ type: 'integer' })
  timeoutMs: Opt<number> = 5_000;

  /** Empty for the host of the endpoint. */
  @Property({ type: 'array' })
  allowedDomains: Opt<string[]> = [];

  /** The secrets that the templates name. */
  @Property({ type: 'array' })
  secretNames: Opt<string[]> = [];

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
