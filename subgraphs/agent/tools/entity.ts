import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { ResponseMapping } from './types.ts';

/** The initializers are the defaults of a new tool. A setting that is set to null returns to its default. */
@ObjectType({ description: 'An HTTP request, or a tool of an MCP server, that the model of an agent may call.' })
@Directive('@key(fields: "id")')
@Entity({ schema: 'agent', tableName: 'tools' })
export class Tool extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({
    type: 'uuid',
    nullable: true,
    description: 'The MCP server that runs the tool; null for a tool with a request of its own.',
  })
  mcpServerId: string | null = null;

  /** The name of the tool on its MCP server. */
  @Property({ type: 'text', nullable: true })
  remoteName: string | null = null;

  @FieldProperty({ type: 'string', length: 64, description: 'The function name that the model sees. Unique within the agent.' })
  name!: string;

  @FieldProperty({ type: 'text', description: 'Tells the model when and why to use the tool.' })
  description!: string;

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', description: 'JSON Schema (2020-12) of the parameters.' })
  inputSchema: Opt<Record<string, unknown>> = { type: 'object' };

  @FieldProperty({ type: 'text', description: 'The URL of the request, with `{{params.x}}` placeholders.' })
  endpointUrl!: string;

  @FieldProperty(() => enumTypes.ToolMethod, { type: 'string' })
  method: Opt<EnumValue<'ToolMethod'>> = 'POST';

  @FieldProperty(() => GraphQLJSONObject, {
    type: 'json',
    description: 'Request headers, with `{{params.x}}` and `{{secret:NAME}}` placeholders.',
  })
  headersTemplate: Opt<Record<string, string>> = {};

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', description: 'Query parameters to add to the URL, with placeholders.' })
  queryTemplate: Opt<Record<string, string>> = {};

  @FieldProperty({ type: 'text', nullable: true, description: 'The request body, with placeholders; not sent with GET.' })
  bodyTemplate: string | null = null;

  @FieldProperty(() => ResponseMapping, { type: 'json' })
  responseMapping: Opt<ResponseMapping> = { kind: 'raw', truncateChars: 8_000 };

  @FieldProperty({ type: 'boolean', description: 'Whether the model may call the tool.' })
  enabled: Opt<boolean> = true;

  @FieldProperty({ type: 'integer', description: 'Time limit of a call, in milliseconds.' })
  timeoutMs: Opt<number> = 5_000;

  /** Empty for the host of the endpoint. */
  @Property({ type: 'array' })
  allowedDomains: Opt<string[]> = [];

  /** The secrets that the templates name. */
  @Property({ type: 'array' })
  secretNames: Opt<string[]> = [];

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
