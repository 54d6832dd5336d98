import { type ClassType, getMetadataStorage, InputType } from 'type-graphql';
import { type Limit, Limited, limitsOf } from './field-limits.ts';

interface Differences<T, K> {
  /** Fields that cannot change. */
  without?: readonly K[];
  /** Whether null is refused. By default each field accepts null. */
  notNull?: true;
  /** Descriptions that differ from those of a new record. */
  descriptions?: Partial<Record<keyof T & string, string>>;
}

/** The input type of changes to a record: the fields of the input type that creates it, all optional and without defaults. */
export function changeOf<T extends object, K extends keyof T & string = never>(
  creation: ClassType<T>,
  { without = [], notNull, descriptions = {} }: Differences<T, K> = {},
): ClassType<{ [F in Exclude<keyof T, K>]?: T[F] | null }> {
  @InputType()
  class Change {}
  const storage = getMetadataStorage();
  const limits = limitsOf(creation);
  const classes = [creation, Object.getPrototypeOf(creation)];
  for (const field of storage.fields.filter(({ target, name }) => classes.includes(target) && !without.includes(name as K))) {
    // Only reading the type tells whether it is a list.
    field.getType();
    const { name, typeOptions, description } = field;
    storage.collectClassFieldMetadata({
      ...field,
      target: Change,
      typeOptions: { ...typeOptions, nullable: true, defaultValue: undefined },
      description: descriptions[name as keyof T & string] ?? description,
    });
    const limit: Limit = { ...limits.get(name), ...(notNull && { notNull }) };
    if (Object.keys(limit).length > 0) Limited(limit)(Change.prototype, name);
  }
  return Change as ClassType<{ [F in Exclude<keyof T, K>]?: T[F] | null }>;
}
