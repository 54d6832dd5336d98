import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Limited } from '../../../platform/input/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { fail } from '../../../schema/errors.ts';
import { enumTypes } from '../../../schema/scalars.ts';

@ObjectType({ description: 'One field of the items of a collection.' })
@InputType('CollectionFieldInput', { description: 'One field of the items of a collection.' })
export class CollectionField {
  @Limited({ minLength: 1, maxLength: 64, pattern: /^[a-zA-Z][a-zA-Z0-9_]*$/ })
  @Field(() => String, { description: 'Key of the value in items, unique within the collection.' })
  name!: string;

  @Limited({ maxLength: 255 })
  @Field(() => String, { nullable: true, description: 'Shown to people; the name when null.' })
  label?: string | null;

  @Field(() => enumTypes.CollectionFieldType, { description: 'Cannot change once the field exists.' })
  type!: EnumValue<'CollectionFieldType'>;

  @Field(() => Boolean, { defaultValue: false, description: 'An item without this value is rejected.' })
  required!: boolean;

  @Limited({ maxItems: 100, minLength: 1, maxLength: 255 })
  @Field(() => [String], { defaultValue: [], description: 'The accepted values of an `option` field.' })
  options!: string[];

  @Field(() => ID, {
    nullable: true,
    description:
      'The collection that a reference leads to, in the same site; null for the collection itself. Cannot change once the field exists.',
  })
  collectionId?: string | null;
}

export const isReference = ({ type }: Pick<CollectionField, 'type'>): boolean => type === 'reference' || type === 'multi-reference';

/** Throws `INVALID_INPUT` for repeated names, `option` fields without options, and collections of fields that are no references. */
export function checkCollectionFields(fields: readonly CollectionField[]): void {
  const names = new Set<string>();
  for (const field of fields) {
    const { name, type, options, collectionId } = field;
    if (names.has(name)) throw fail('INVALID_INPUT', `fields must have different names; ${name} appears twice`);
    names.add(name);
    if (type === 'option' && options.length === 0)
      throw fail('INVALID_INPUT', `fields: ${name} is an option field and needs options`);
    if (collectionId && !isReference(field)) throw fail('INVALID_INPUT', `fields: ${name} is no reference and has a collection`);
  }
}
