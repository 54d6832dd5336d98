import { type ClassType, Field, InputType, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../schema/enums.ts';
import { fail } from '../../schema/errors.ts';
import { enumTypes } from '../../schema/scalars.ts';
import { isCalendarDay, isLonger, truncate } from '../../schema/text.ts';
import { EMAIL, Limited, NAME } from './declare.ts';

/** One field of a form that visitors fill in. */
export interface FormField {
  name: string;
  label: string;
  type: EnumValue<'FormFieldType'>;
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

    @Field(() => enumTypes.FormFieldType, { defaultValue: 'text' })
    type!: EnumValue<'FormFieldType'>;

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

const MAX_LENGTH = 10_000;

const isText = (value: unknown): value is string => typeof value === 'string' && !isLonger(value, MAX_LENGTH);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const maxLengthOf = (type: FormField['type']): number => (type === 'email' ? EMAIL.maxLength : MAX_LENGTH);

/** Whether a value fits the type of its field. */
const fits: Record<FormField['type'], (value: unknown, options: readonly string[]) => boolean> = {
  text: isText,
  textarea: isText,
  email: (value) => isText(value) && !isLonger(value, EMAIL.maxLength) && EMAIL.pattern.test(value),
  phone: (value) => isText(value) && /^(?=\D*\d)[+\d(][\d\s()./-]{2,63}$/.test(value),
  date: (value) => isText(value) && isCalendarDay(value),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  checkbox: (value) => typeof value === 'boolean',
  select: (value, options) => isText(value) && options.includes(value),
};

/**
 * Check submitted values against the fields of a form. Returns the values in the order of the fields, without empty ones. Throws
 * `INVALID_INPUT` with all faults.
 */
export function checkValues(fields: readonly FormField[], values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = new Set(fields.map(({ name }) => name));
  const faults = Object.keys(values).flatMap((name) =>
    known.has(name) ? [] : [`values.${truncate(name, 64)} is not a field of the form`],
  );
  const checked: [string, unknown][] = [];
  for (const { name, type, required, options } of fields) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (isEmpty(value)) {
      if (required) faults.push(`values.${name} is required`);
    } else if (fits[type](value, options)) checked.push([name, value]);
    else if (typeof value === 'string' && isLonger(value, maxLengthOf(type)))
      faults.push(`values.${name} must be at most ${maxLengthOf(type)} characters`);
    else faults.push(`values.${name} must be a valid ${type}`);
  }
  if (faults.length > 0) throw fail('INVALID_INPUT', faults.slice(0, 5).join('; '));
  return Object.fromEntries(checked);
}
