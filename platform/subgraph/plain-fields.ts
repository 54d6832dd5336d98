import { getMetadataStorage } from 'type-graphql';

/**
 * Let fields that are properties of their object have no resolver. By default type-graphql creates one, for which graphql-jit allocates
 * closures, a path and a resolve info for each value. Lists keep theirs, because `countLists` counts them. Properties must not be promises.
 * Call it before the schema is built.
 */
export function readPlainFields(): void {
  const { fields, authorizedFields, middlewares } = getMetadataStorage();
  for (const field of fields) {
    const { target, name, schemaName, typeOptions } = field;
    const isGuarded = [...authorizedFields, ...middlewares].some((each) => each.target === target && each.fieldName === name);
    field.simple ??= name === schemaName && !typeOptions.array && !isGuarded;
  }
}
