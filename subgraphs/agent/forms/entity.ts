import { GraphQLJSONObject } from 'graphql-scalars';
import { ID, InputType, ObjectType } from 'type-graphql';
import { clock, column, columns, Deletion, Owned, Table, timestamps } from '../../../platform/database/index.ts';
import { args, changeOf, type FormField, field, formFieldType, input, list, NAME, output } from '../../../platform/fields/index.ts';
import { RecentArguments } from '../recent-arguments.ts';

const CustomFormField = formFieldType('FormField', 'One field of a custom form.');

@ObjectType({ description: 'A form that visitors fill in during a chat.' })
@Table('agent.forms')
export class CustomForm extends columns(Owned, {
  agentId: column('uuid'),
  name: column('string', 'Stable key of the form, unique within the agent.'),
  title: column('string'),
  fields: column([CustomFormField], { type: 'json', assumedSize: 20 }).as<FormField[]>(),
  enabled: column('boolean', { initial: true, description: 'Visitors see only enabled forms.' }),
  ...timestamps,
}) {}

@ObjectType({ description: 'A custom form that a visitor filled in.' })
@Table('agent.form_submissions')
export class CustomFormSubmission extends columns(Owned, {
  formName: column('string'),
  values: column(GraphQLJSONObject, { type: 'json', description: 'The values by field name.' }).as<Record<string, unknown>>(),
  conversationId: column('uuid', { nullable: true, description: 'Null for a submission outside a conversation.' }),
  agentId: column('uuid'),
  agentName: column('text', 'The current name of the agent, or the last name of a deleted one.'),
  createdAt: column('datetime', { initial: clock.now }),
}) {}

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

export class FormSubmissionsArguments extends args(RecentArguments, {
  formName: field(String, { maxLength: 64, nullable: true, description: 'Only submissions of the form with this name.' }),
}) {}
