import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { ListSize } from '../../common/list-size.ts';
import { Owned } from '../../common/tenant.ts';

@ObjectType({ description: 'One field of a custom form.' })
@InputType('FormFieldInput', { description: 'One field of a custom form.' })
export class FormField {
  @Limited({ minLength: 1, maxLength: 64, pattern: /^[a-zA-Z][a-zA-Z0-9_]*$/ })
  @Field(() => String, { description: 'Key of the value in submissions, unique within the form.' })
  name!: string;

  @Limited({ minLength: 1, maxLength: 255 })
  @Field(() => String)
  label!: string;

  @Field(() => wordTypes.FormFieldType, { defaultValue: 'text' })
  type!: Word<'FormFieldType'>;

  @Field(() => Boolean, { defaultValue: false, description: 'A submission without this value is rejected.' })
  required!: boolean;

  @Limited({ maxItems: 100, minLength: 1, maxLength: 255 })
  @Field(() => [String], { defaultValue: [], description: 'The accepted values of a `select` field.' })
  options!: string[];
}

@ObjectType({ description: 'A form that visitors fill in during a chat.' })
@Entity({ schema: 'agent', tableName: 'forms' })
export class CustomForm extends Owned {
  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => String, { description: 'Stable key of the form, unique within the agent.' })
  @Property({ type: 'string' })
  name!: string;

  @Field(() => String)
  @Property({ type: 'string' })
  title!: string;

  @ListSize(20)
  @Field(() => [FormField])
  @Property({ type: 'json' })
  fields!: FormField[];

  @Field(() => Boolean, { description: 'Visitors see only enabled forms.' })
  @Property({ type: 'boolean' })
  enabled: Opt<boolean> = true;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => new Date() })
  updatedAt: Opt<Date> = new Date();
}

@ObjectType({ description: 'A custom form that a visitor filled in.' })
@Entity({ schema: 'agent', tableName: 'form_submissions' })
export class CustomFormSubmission extends Owned {
  @Field(() => String, { description: 'The name of the form.' })
  @Property({ type: 'string' })
  formName!: string;

  @Field(() => GraphQLJSONObject, { description: 'The values by field name.' })
  @Property({ type: 'json' })
  values!: Record<string, unknown>;

  @Field(() => ID, { nullable: true, description: 'Null for a submission outside a conversation.' })
  @Property({ type: 'uuid', nullable: true })
  conversationId: string | null = null;

  @Field(() => ID)
  @Property({ type: 'uuid' })
  agentId!: string;

  @Field(() => String, { description: 'The current name of the agent, or the last name of a deleted one.' })
  @Property({ type: 'text' })
  agentName!: string;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();
}
