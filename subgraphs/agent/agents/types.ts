import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';

@InputType({
  description: 'What may change on an agent. A field that is not sent stays as it is; null sets it back to its default.',
})
export class AgentChange {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'Must not be null.' })
  name?: string | null;

  @Field(() => wordTypes.AgentModelType, { nullable: true })
  modelType?: Word<'AgentModelType'> | null;

  @Limited({ maxLength: 100_000 })
  @Field(() => String, { nullable: true, description: 'Instructions for the model.' })
  systemPrompt?: string | null;

  @Limited({ maxLength: 4_000 })
  @Field(() => String, { nullable: true, description: 'The first message that visitors see.' })
  welcomeMessage?: string | null;

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'Shown in the empty chat input.' })
  placeholder?: string | null;

  @Limited({ maxItems: 20, minLength: 1, maxLength: 500 })
  @Field(() => [String], { nullable: true, description: 'Quick replies before the first message.' })
  suggestedMessages?: string[] | null;

  @Limited({ min: 0, max: 2 })
  @Field(() => Float, { nullable: true, description: 'How freely the model words its answers.' })
  temperature?: number | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'How the widget looks, for example `primary` and `bubble`.' })
  theme?: Record<string, unknown> | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'For example `poweredByVisible`.' })
  branding?: Record<string, unknown> | null;

  @Limited({ maxItems: 100, format: 'uri' })
  @Field(() => [String], { nullable: true, description: 'Origins that may embed the widget, such as `https://shop.example.com`.' })
  allowedOrigins?: string[] | null;

  @Limited({ min: 64, max: 8_000 })
  @Field(() => Int, { nullable: true, description: 'Tokens that one answer may have.' })
  maxTokensPerMessage?: number | null;

  @Limited({ min: 0, max: 16_000 })
  @Field(() => Int, { nullable: true, description: 'Tokens of knowledge that go into one answer.' })
  maxRetrievalTokens?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the public endpoints answer for the agent.' })
  publicAccess?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether visitors may speak to the agent.' })
  voiceEnabled?: boolean | null;
}

@InputType({ description: 'An agent to create.' })
export class NewAgent extends AgentChange {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String)
  declare name: string;

  @Limited({ minLength: 1, maxLength: 64, pattern: /^[a-z0-9][a-z0-9_-]*$/ })
  @Field(() => String, { nullable: true, description: 'Unique within the organization; made from the name when absent.' })
  slug?: string | null;
}

@ObjectType({ description: 'An agent as every member of its organization sees it.' })
export class AgentSummary {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: 'Names the agent on public endpoints.' })
  publicSlug!: string;
}

@ObjectType()
export class DeletedAgent {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean)
  deleted!: boolean;
}
