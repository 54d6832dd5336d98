import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import { clock, Owned } from '../../../platform/database/index.ts';
import { type FormField, formFieldType } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';

export const CustomFormField = formFieldType('FormField', 'One field of a custom form.');

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
  @Field(() => [CustomFormField])
  @Property({ type: 'json' })
  fields!: FormField[];

  @Field(() => Boolean, { description: 'Visitors see only enabled forms.' })
  @Property({ type: 'boolean' })
  enabled: Opt<boolean> = true;

  @Field(() => Date)
  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Field(() => Date)
  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
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
  createdAt: Opt<Date> = clock.now();
}
