import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A server of the Model Context Protocol (streamable HTTP) whose tools an agent may use.' })
@Entity({ schema: 'agent', tableName: 'mcp_servers' })
export class McpServer extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'string', length: 64, description: 'Unique within the agent.' })
  name!: string;

  @FieldProperty({ type: 'text', description: 'The endpoint of the server.' })
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
