import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { changeOf, type FormField, Limited, NAME } from '../../../platform/input/index.ts';
import { RecentArguments } from '../recent-list.ts';
import { CustomFormField } from './entity.ts';

@ObjectType({ description: 'An enabled custom form.' })
export class FormSummary {
  @Field(() => String, { description: 'Stable key of the form.' })
  name!: string;

  @Field(() => String)
  title!: string;

  @Field(() => ID)
  agentId!: string;

  @Field(() => String)
  agentName!: string;
}

@InputType({ description: 'A custom form to create.' })
export class NewCustomForm {
  @Limited({ minLength: 1, maxLength: 64, pattern: /^[a-z0-9][a-z0-9_-]*$/ })
  @Field(() => String, { description: 'Stable key of the form, unique within the agent.' })
  name!: string;

  @Limited(NAME)
  @Field(() => String)
  title!: string;

  @Limited({ minItems: 1, maxItems: 50 })
  @Field(() => [CustomFormField])
  fields!: FormField[];

  @Field(() => Boolean, { defaultValue: true, description: 'Visitors see only enabled forms.' })
  enabled!: boolean;
}

@InputType({ description: 'Changes to a custom form. Fields that are omitted or null stay unchanged.' })
export class CustomFormChange extends changeOf(NewCustomForm, { without: ['name'] }) {}

@ObjectType({ description: 'Confirms that a custom form was deleted.' })
export class DeletedCustomForm {
  @Field(() => ID)
  id!: string;

  @Field(() => Boolean, { description: 'Always true.' })
  deleted!: boolean;
}

@ArgsType()
export class FormSubmissionsArguments extends RecentArguments {
  @Limited({ maxLength: 64 })
  @Field(() => String, { nullable: true, description: 'Only submissions of the form with this name.' })
  formName?: string | null;
}
