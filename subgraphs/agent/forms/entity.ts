import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ObjectType } from 'type-graphql';
import { clock, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { type FormField, formFieldType } from '../../../platform/input/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';

export const CustomFormField = formFieldType('FormField', 'One field of a custom form.');

@ObjectType({ description: 'A form that visitors fill in during a chat.' })
@Entity({ schema: 'agent', tableName: 'forms' })
export class CustomForm extends Owned {
  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'string', description: 'Stable key of the form, unique within the agent.' })
  name!: string;

  @FieldProperty({ type: 'string' })
  title!: string;

  @ListSize(20)
  @FieldProperty(() => [CustomFormField], { type: 'json' })
  fields!: FormField[];

  @FieldProperty({ type: 'boolean', description: 'Visitors see only enabled forms.' })
  enabled: Opt<boolean> = true;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @FieldProperty({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

@ObjectType({ description: 'A custom form that a visitor filled in.' })
@Entity({ schema: 'agent', tableName: 'form_submissions' })
export class CustomFormSubmission extends Owned {
  @FieldProperty({ type: 'string', description: 'The name of the form.' })
  formName!: string;

  @FieldProperty(() => GraphQLJSONObject, { type: 'json', description: 'The values by field name.' })
  values!: Record<string, unknown>;

  @FieldProperty({ type: 'uuid', nullable: true, description: 'Null for a submission outside a conversation.' })
  conversationId: string | null = null;

  @FieldProperty({ type: 'uuid' })
  agentId!: string;

  @FieldProperty({ type: 'text', description: 'The current name of the agent, or the last name of a deleted one.' })
  agentName!: string;

  @FieldProperty({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}
