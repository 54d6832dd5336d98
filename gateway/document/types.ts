import type { GraphQLNamedType, GraphQLSchema } from 'graphql';
import { isAbstractType, isInterfaceType, isObjectType } from 'graphql';

/** Whether an object with this `__typename` matches the type condition. With `@interfaceObject` the name may be an interface. */
export function isOfType(schema: GraphQLSchema, typename: unknown, condition: string): boolean {
  if (typename === condition) return true;
  return typeof typename === 'string' && meets(schema, schema.getType(typename), schema.getType(condition));
}

export function meets(schema: GraphQLSchema, type: GraphQLNamedType | undefined, condition: GraphQLNamedType | undefined): boolean {
  if (type === condition) return true;
  return isAbstractType(condition) && (isObjectType(type) || isInterfaceType(type)) && schema.isSubType(condition, type);
}
