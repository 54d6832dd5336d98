import { Entity } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, ID, InputType, ObjectType } from 'type-graphql';
import { clock, Deletion, FieldProperty, Owned } from '../../../platform/database/index.ts';
import { args, changeOf, type FormField, field, formFieldType, input, list, NAME, output } from '../../../platform/fields/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import { RecentArguments } from '../recent-arguments.ts';

const CustomFormField = formFieldType('FormField', 'One field of a custom form.');

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
  @FieldProperty({ type: 'string' })
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

@ObjectType({ description: 'An enabled custom form.' })
export class FormSummary extends output({
  name: field(String, 'Stable key of the form.'),
  title: field(String),
  agentId: field(ID),
  agentName: field(String),
}) {}

@InputType({ description: 'A custom form to create.' })
export class NewCustomForm extends input({
  name: field(String, {
    minLength: 1,
    maxLength: 64,
    pattern: /^[a-z0-9][a-z0-9_-]*$/,
    description: 'Stable key of the form, unique within the agent.',
  }),
  title: field(String, { ...NAME }),
  fields: list(CustomFormField, { minItems: 1, maxItems: 50 }).as<FormField[]>(),
  enabled: field(Boolean, { defaultValue: true, description: 'Visitors see only enabled forms.' }),
}) {}

@InputType({ description: 'Changes to a custom form. Fields that are omitted or null stay unchanged.' })
export class CustomFormChange extends changeOf(NewCustomForm, { without: ['name'] }) {}

@ObjectType({ description: 'Confirms that a custom form was deleted.' })
export class DeletedCustomForm extends Deletion {}

@ArgsType()
export class FormSubmissionsArguments extends args(RecentArguments, {
  formName: field(String, { maxLength: 64, nullable: true, description: 'Only submissions of the form with this name.' }),
}) {}
