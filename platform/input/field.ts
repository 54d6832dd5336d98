import { type ClassType, Field, InputType, ObjectType } from 'type-graphql';
import { fail } from '../../schema/errors.ts';
import { wordTypes } from '../../schema/scalars.ts';
import type { Word } from '../../schema/words.ts';
import { Limited, NAME } from './limits.ts';

/** One field of a form that visitors fill in. */
export interface FormField {
  name: string;
  label: string;
  type: Word<'FormFieldType'>;
  required: boolean;
  options: string[];
}

/** The GraphQL type of form fields in a subgraph, and the input type with the suffix `Input`. */
export function formFieldType(typeName: string, description: string): ClassType<FormField> {
  @ObjectType(typeName, { description })
  @InputType(`${typeName}Input`, { description })
  class FormFieldType implements FormField {
    @Limited({ minLength: 1, maxLength: 64, pattern: /^[a-zA-Z][a-zA-Z0-9_]*$/ })
    @Field(() => String, { description: 'Key of the value in submissions, unique within the form.' })
    name!: string;

    @Limited(NAME)
    @Field(() => String)
    label!: string;

    @Field(() => wordTypes.FormFieldType, { defaultValue: 'text' })
    type!: Word<'FormFieldType'>;

    @Field(() => Boolean, { defaultValue: false, description: 'A submission without this value is rejected.' })
    required!: boolean;

    @Limited({ maxItems: 100, ...NAME })
    @Field(() => [String], { defaultValue: [], description: 'The accepted values of a `select` field.' })
    options!: string[];
  }
  return FormFieldType;
}

/** Throws `INVALID_INPUT` for repeated names and for `select` fields without options. */
export function checkFields(fields: readonly FormField[]): void {
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw fail('INVALID_INPUT', `fields must have different names; ${twice} appears twice`);
  const empty = fields.find(({ type, options }) => type === 'select' && options.length === 0);
  if (empty) throw fail('INVALID_INPUT', `fields: ${empty.name} is a select field and needs options`);
}
