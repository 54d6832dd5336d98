import { GraphQLJSONObject } from 'graphql-scalars';
import { Float, InputType, Int, ObjectType } from 'type-graphql';
import { field, input, output } from '../../../platform/fields/index.ts';
import type { JsonObject } from '../../../schema/json.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { NOT_BLANK } from '../../../schema/text.ts';
import { ToolResultScalar } from '../tools/entity.ts';
import type { Check } from './checks.ts';

/** The parts of a test case: its visitor, its checks, and the answers of its tools. */

/** Messages of the visitor in a case. */
export const MAX_MESSAGES = 10;

@ObjectType({ description: 'One thing that must hold in a test case. Fields that the kind does not use are null.' })
export class TestCheck
  extends output({
    kind: field(enumTypes.TestCheckKind),
    text: field(String, { nullable: true }),
    number: field(Float, { nullable: true }),
    unit: field(String, { nullable: true }),
    tool: field(String, { nullable: true }),
    arguments: field(GraphQLJSONObject, { nullable: true }).as<JsonObject>(),
  })
  implements Check {}

@InputType({ description: 'One thing that must hold in a test case.' })
export class NewTestCheck extends input({
  kind: field(enumTypes.TestCheckKind),
  text: field(String, {
    maxLength: 2_000,
    nullable: true,
    description:
      'For `states` and `omits`: words that a reply contains in any case; each line is another way to say it. For `cites`: the address of a source, or a part of its title. For `language`: a code such as `de`.',
  }),
  number: field(Float, {
    nullable: true,
    description:
      'For `states` and `omits`: a number, written in any way. For `seconds` and `credits`: the most that a reply may take, or that the case may cost.',
  }),
  unit: field(String, {
    maxLength: 32,
    nullable: true,
    description: 'The unit of the number, such as `kg` or `EUR`. Default: any.',
  }),
  tool: field(String, {
    maxLength: 64,
    nullable: true,
    description: 'The name of a tool, for `calls`, `not_calls` and `asks_approval`. Default for the last two: any tool.',
  }),
  arguments: field(GraphQLJSONObject, {
    nullable: true,
    description: 'For `calls`: arguments that the call has among others. At most 10,000 characters of JSON.',
  }).as<JsonObject>(),
}) {}

@ObjectType({ description: 'The answer of a tool in a test case, which replaces the real call.' })
export class TestRecording extends output({
  tool: field(String),
  arguments: field(GraphQLJSONObject, {
    nullable: true,
    description: 'Arguments that a call must have among others; null for any call.',
  }).as<JsonObject>(),
  output: field(ToolResultScalar, { nullable: true, description: 'The result that the model sees.' }).as<unknown>(),
  error: field(String, { nullable: true, description: 'The error that the model sees instead; null for a result.' }),
}) {}

@InputType({ description: 'The answer of a tool in a test case.' })
export class NewTestRecording extends input({
  tool: field(String, { minLength: 1, maxLength: 64 }),
  arguments: field(GraphQLJSONObject, {
    nullable: true,
    description: 'Arguments that a call must have among others. Default: any call.',
  }).as<JsonObject>(),
  output: field(ToolResultScalar, {
    nullable: true,
    description: 'The result that the model sees. At most 50,000 characters of JSON.',
  }).as<unknown>(),
  error: field(String, { maxLength: 2_000, nullable: true, description: 'The error that the model sees instead of a result.' }),
}) {}

@ObjectType({ description: 'The visitor that the site has signed in.' })
export class TestIdentity extends output({
  subject: field(String, 'The claim `sub`.'),
  email: field(String, { nullable: true }),
  name: field(String, { nullable: true }),
  claims: field(GraphQLJSONObject, 'The further claims, which tools use as `{{visitor.claims.x}}`.').as<JsonObject>(),
}) {}

@InputType({ description: 'The visitor that the site has signed in.' })
export class NewTestIdentity extends input({
  subject: field(String, { minLength: 1, maxLength: 255, description: 'The claim `sub`.' }),
  email: field(String, { maxLength: 320, nullable: true }),
  name: field(String, { maxLength: 255, nullable: true }),
  claims: field(GraphQLJSONObject, {
    nullable: true,
    description: 'The further claims. At most 10,000 characters of JSON. Default: none.',
  }).as<JsonObject>(),
}) {}

@ObjectType({ description: 'A customer that a model plays. Its messages follow those of the case.' })
export class SimulatedCustomer extends output({
  goal: field(String),
  manner: field(String, { nullable: true }),
  maxMessages: field(Int, 'The most messages of the visitor, with those of the case.'),
}) {}

@InputType({ description: 'A customer that a model plays. Its messages follow those of the case.' })
export class NewSimulatedCustomer extends input({
  goal: field(String, {
    minLength: 1,
    maxLength: 2_000,
    pattern: NOT_BLANK,
    description: 'The thing that the customer wants. The conversation ends when the customer has it, or gives up.',
  }),
  manner: field(String, {
    maxLength: 1_000,
    nullable: true,
    description: 'The way in which the customer writes, such as `impatient, with typing errors`.',
  }),
  maxMessages: field(Int, {
    min: 1,
    max: MAX_MESSAGES,
    defaultValue: 5,
    description: 'The most messages of the visitor, with those of the case.',
  }),
}) {}

/** A check with all fields, as it is stored. */
export const checkOf = ({ kind, text, number, unit, tool, arguments: given }: NewTestCheck): TestCheck => ({
  kind,
  text: text || null,
  number: number ?? null,
  unit: unit || null,
  tool: tool || null,
  arguments: given ?? null,
});
