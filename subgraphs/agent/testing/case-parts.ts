import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import type { JsonObject } from '../../../schema/json.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';
import { ToolResultScalar } from '../tools/entity.ts';
import type { Check } from './checks.ts';

/** The parts of a test case: its visitor, its checks, and the answers of its tools. */

/** Messages of the visitor in a case. */
export const MAX_MESSAGES = 10;

@ObjectType({ description: 'One thing that must hold in a test case. Fields that the kind does not use are null.' })
export class TestCheck implements Check {
  @Field(() => enumTypes.TestCheckKind)
  kind!: EnumValue<'TestCheckKind'>;

  @Field(() => String, { nullable: true })
  text!: string | null;

  @Field(() => Float, { nullable: true })
  number!: number | null;

  @Field(() => String, { nullable: true })
  unit!: string | null;

  @Field(() => String, { nullable: true })
  tool!: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true })
  arguments!: JsonObject | null;
}

@InputType({ description: 'One thing that must hold in a test case.' })
export class NewTestCheck {
  @Field(() => enumTypes.TestCheckKind)
  kind!: EnumValue<'TestCheckKind'>;

  @Limited({ maxLength: 2_000 })
  @Field(() => String, {
    nullable: true,
    description:
      'For `states` and `omits`: words that a reply contains in any case; each line is another way to say it. For `cites`: the address of a source, or a part of its title. For `language`: a code such as `de`.',
  })
  text?: string | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'For `states` and `omits`: a number, written in any way. For `seconds` and `credits`: the most that a reply may take, or that the case may cost.',
  })
  number?: number | null;

  @Limited({ maxLength: 32 })
  @Field(() => String, { nullable: true, description: 'The unit of the number, such as `kg` or `EUR`. Default: any.' })
  unit?: string | null;

  @Limited({ maxLength: 64 })
  @Field(() => String, {
    nullable: true,
    description: 'The name of a tool, for `calls`, `not_calls` and `asks_approval`. Default for the last two: any tool.',
  })
  tool?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'For `calls`: arguments that the call has among others. At most 10,000 characters of JSON.',
  })
  arguments?: JsonObject | null;
}

@ObjectType({ description: 'The answer of a tool in a test case, which replaces the real call.' })
export class TestRecording {
  @Field(() => String)
  tool!: string;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Arguments that a call must have among others; null for any call.',
  })
  arguments!: JsonObject | null;

  @Field(() => ToolResultScalar, { nullable: true, description: 'The result that the model sees.' })
  output!: unknown;

  @Field(() => String, { nullable: true, description: 'The error that the model sees instead; null for a result.' })
  error!: string | null;
}

@InputType({ description: 'The answer of a tool in a test case.' })
export class NewTestRecording {
  @Limited({ minLength: 1, maxLength: 64 })
  @Field(() => String)
  tool!: string;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Arguments that a call must have among others. Default: any call.',
  })
  arguments?: JsonObject | null;

  @Field(() => ToolResultScalar, {
    nullable: true,
    description: 'The result that the model sees. At most 50,000 characters of JSON.',
  })
  output?: unknown;

  @Limited({ maxLength: 2_000 })
  @Field(() => String, { nullable: true, description: 'The error that the model sees instead of a result.' })
  error?: string | null;
}

@ObjectType({ description: 'The visitor that the site has signed in.' })
export class TestIdentity {
  @Field(() => String, { description: 'The claim `sub`.' })
  subject!: string;

  @Field(() => String, { nullable: true })
  email!: string | null;

  @Field(() => String, { nullable: true })
  name!: string | null;

  @Field(() => GraphQLJSONObject, { description: 'The further claims, which tools use as `{{visitor.claims.x}}`.' })
  claims!: JsonObject;
}

@InputType({ description: 'The visitor that the site has signed in.' })
export class NewTestIdentity {
  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String, { description: 'The claim `sub`.' })
  subject!: string;

  @Limited({ maxLength: 320 })
  @Field(() => String, { nullable: true })
  email?: string | null;

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true })
  name?: string | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The further claims. At most 10,000 characters of JSON. Default: none.',
  })
  claims?: JsonObject | null;
}

@ObjectType({ description: 'A customer that a model plays. Its messages follow those of the case.' })
export class SimulatedCustomer {
  @Field(() => String)
  goal!: string;

  @Field(() => String, { nullable: true })
  manner!: string | null;

  @Field(() => Int, { description: 'The most messages of the visitor, with those of the case.' })
  maxMessages!: number;
}

@InputType({ description: 'A customer that a model plays. Its messages follow those of the case.' })
export class NewSimulatedCustomer {
  @Limited({ minLength: 1, maxLength: 2_000, pattern: NOT_BLANK })
  @Field(() => String, {
    description: 'The thing that the customer wants. The conversation ends when the customer has it, or gives up.',
  })
  goal!: string;

  @Limited({ maxLength: 1_000 })
  @Field(() => String, {
    nullable: true,
    description: 'The way in which the customer writes, such as `impatient, with typing errors`.',
  })
  manner?: string | null;

  @Limited({ min: 1, max: MAX_MESSAGES })
  @Field(() => Int, { defaultValue: 5, description: 'The most messages of the visitor, with those of the case.' })
  maxMessages!: number;
}

/** A check with all fields, as it is stored. */
export const checkOf = ({ kind, text, number, unit, tool, arguments: given }: NewTestCheck): TestCheck => ({
  kind,
  text: text || null,
  number: number ?? null,
  unit: unit || null,
  tool: tool || null,
  arguments: given ?? null,
});
