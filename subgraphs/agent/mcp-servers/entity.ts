import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';

@ObjectType({ description: 'A server of the Model Context Protocol (streamable HTTP) whose tools an agent may use.' })
@Entity({ schema: 'agent', tableName: 'mcp_servers' })
export class McpServer extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => String, { description: 'Unique within the agent.' })
  @Property({ type: 'string', length: 64 })
  name!: string;

  @Field(() => String, { description: 'The endpoint of the server.' })
  @Property({ type: 'text' })
  url!: string;

  @Field(() => GraphQLJSONObject, { description: 'Request headers, with `{{secret:NAME}}` placeholders.' })
  @Property({ type: 'json' })
  headersTemplate: Opt<Record<string, string>> = {};

  @Field(() => Int, { description: 'Time limit of an operation of the server, in milliseconds.' })
  @Property({ type: 'integer' })
  timeoutMs: Opt<number> = 10_000;

  /** The secrets that the headers name. */
  @Property({ type: 'array' })
  secretNames: Opt<string[]> = [];

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}
