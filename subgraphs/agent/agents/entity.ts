import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Directive, Field, Float, Int, ObjectType } from 'type-graphql';
import { clock, Owned, SoftDeleted } from '../../../platform/database/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { enumTypes } from '../../../schema/scalars.ts';

/** The initializers are the defaults of a new agent. A setting that is set to null returns to its default. */
@ObjectType({ description: 'A chat agent. Only owners and admins of its organization can read it.' })
@Directive('@key(fields: "id")')
@SoftDeleted()
@Entity({ schema: 'agent', tableName: 'agents' })
export class Agent extends Owned {
  @Field(() => String)
  @Property({ type: 'string', length: 255 })
  name!: string;

  @Field(() => String, { description: 'Unique within the organization.' })
  @Property({ type: 'string', length: 64 })
  slug!: string;

  @Field(() => String, {
    description: 'Identifies the agent on public endpoints and in the embed snippet. Unique across organizations.',
  })
  @Property({ type: 'string', length: 128 })
  publicSlug!: string;

  @Field(() => enumTypes.AgentModelType)
  @Property({ type: 'string' })
  modelType: Opt<EnumValue<'AgentModelType'>> = 'agent-chat-v1';

  @Property({ type: 'text', lazy: true })
  systemPrompt: Opt<string> = '';

  @Field(() => String, { description: 'The first message that visitors see.' })
  @Property({ type: 'text' })
  welcomeMessage: Opt<string> = '';

  @Field(() => String, { description: 'Shown in the empty chat input.' })
  @Property({ type: 'text' })
  placeholder: Opt<string> = '';

  @Field(() => [String], { description: 'Quick replies that visitors see before the first message.' })
  @Property({ type: 'array' })
  suggestedMessages: Opt<string[]> = [];

  @Field(() => Float, { description: 'Sampling temperature of the model, 0 to 2.' })
  @Property({ type: 'double' })
  temperature: Opt<number> = 0.7;

  @Field(() => GraphQLJSONObject, { description: 'Appearance of the widget, for example `primary` and `bubble`.' })
  @Property({ type: 'json' })
  theme: Opt<Record<string, unknown>> = {};

  @Field(() => GraphQLJSONObject, { description: 'Branding of the widget, for example `poweredByVisible`.' })
  @Property({ type: 'json' })
  branding: Opt<Record<string, unknown>> = {};

  @Field(() => [String], { description: 'Origins that may embed the widget. They must match exactly.' })
  @Property({ type: 'array' })
  allowedOrigins: Opt<string[]> = [];

  @Field(() => Int, { description: 'Token limit of one answer.' })
  @Property({ type: 'integer' })
  maxTokensPerMessage: Opt<number> = 1_024;

  @Field(() => Int, { description: 'Token limit of the knowledge that goes into one answer, which is at most 60 passages.' })
  @Property({ type: 'integer' })
  maxRetrievalTokens: Opt<number> = 4_000;

  @Field(() => Boolean, { description: 'Whether the public endpoints serve the agent.' })
  @Property({ type: 'boolean' })
  publicAccess: Opt<boolean> = true;

  @Field(() => Boolean, { description: 'Whether visitors can talk to the agent by voice.' })
  @Property({ type: 'boolean' })
  voiceEnabled: Opt<boolean> = false;

  @Field(() => Int, {
    description: 'Credits per day (UTC) that visitors of the widget may use. Beyond them the agent is unavailable.',
  })
  @Property({ type: 'integer' })
  dailyCreditLimit: Opt<number> = 1_000;

  @Field(() => Int, { nullable: true, description: 'Days after its last message that a conversation is deleted; null keeps it.' })
  @Property({ type: 'integer', nullable: true })
  retentionDays: number | null = null;

  @Field(() => Boolean, { description: 'Whether the agent may search the products of its organization and read their values.' })
  @Property({ type: 'boolean' })
  catalogAccess: Opt<boolean> = false;

  @Field(() => [String], { description: 'Slugs of the attributes that the agent may read. Empty means all.' })
  @Property({ type: 'array' })
  catalogAttributes: Opt<string[]> = [];

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;

  @Property({ type: 'datetime', nullable: true })
  deletedAt: Date | null = null;
}

/** An SQL condition: the agent of a row is not deleted. `row` is the alias of a table with `agent_id`. */
export const ofPresentAgent = (row: string): string =>
  `exists (select from agent.agents a where a.id = ${row}.agent_id and a.deleted_at is null)`;
