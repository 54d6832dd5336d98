import { Property } from '@mikro-orm/decorators/legacy';
import type { PropertyOptions } from '@mikro-orm/postgresql';
import { Field, Float, ID, Int } from 'type-graphql';

type FieldType = Parameters<typeof Field>[0] & (() => unknown);

interface Options extends Omit<PropertyOptions<object>, 'name' | 'nullable'> {
  nullable?: boolean;
  description?: string;
}

/** The GraphQL types of columns. Other columns name theirs. */
const fieldTypes: Record<string, FieldType> = {
  string: () => String,
  text: () => String,
  uuid: () => ID,
  integer: () => Int,
  bigint: () => Int,
  double: () => Float,
  decimal: () => Float,
  boolean: () => Boolean,
  datetime: () => Date,
  array: () => [String],
};

/** A public column: a field of the GraphQL type and a property of the entity. A `Property` alone is a private column. */
export function FieldProperty(options: Options & { type: string }): PropertyDecorator;
export function FieldProperty(type: FieldType, options: Options): PropertyDecorator;
export function FieldProperty(...args: [Options & { type: string }] | [FieldType, Options]): PropertyDecorator {
  const [type, { description, ...column }] = args.length === 2 ? args : [fieldTypes[args[0].type]!, args[0]];
  return (prototype, name) => {
    Property(column)(prototype, String(name));
    Field(type, { nullable: column.nullable, description })(prototype, name);
  };
}
