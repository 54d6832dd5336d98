import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  specifiedScalarTypes,
} from 'graphql';
import { breakingChanges } from './breaking-changes.ts';

/** A difference between two schemas. */
export interface SchemaChange {
  /** The changed part. */
  readonly coordinate: string;
  readonly message: string;
  /** Whether operations that were valid may fail, or answer data of another type. */
  readonly isBreaking: boolean;
}

/** All changes between two API schemas, those that can break operations first. */
export function schemaChanges(before: GraphQLSchema, after: GraphQLSchema): SchemaChange[] {
  const breaking = breakingChanges(before, after)
    .filter(({ coordinate }) => !standard.has(coordinate))
    .map(({ coordinate, message }) => ({ coordinate, message, isBreaking: true }));
  const reported = new Set(breaking.map(({ coordinate }) => coordinate));
  const others = [...changesOfTypes(before, after), ...changesOfParts(before, after)].filter(
    ({ coordinate }) => !reported.has(coordinate),
  );
  return [...breaking, ...others.map((each) => ({ ...each, isBreaking: false }))];
}

/** A schema has these types if it uses them. */
const standard = new Set(specifiedScalarTypes.map(({ name }) => name));

type Change = Omit<SchemaChange, 'isBreaking'>;

function* changesOfTypes(before: GraphQLSchema, after: GraphQLSchema): Generator<Change> {
  for (const now of Object.values(after.getTypeMap())) {
    const { name } = now;
    if (standard.has(name) || name.startsWith('__')) continue;
    const old = before.getType(name);
    if (!old) {
      yield { coordinate: name, message: `The type ${name} is added` };
      continue;
    }
    if ((old.description ?? '') !== (now.description ?? ''))
      yield { coordinate: name, message: `The description of ${name} changes` };
    const known = new Set(membersOf(old));
    const added = membersOf(now).filter((each) => !known.has(each));
    for (const each of added) {
      const message = isUnionType(now) ? `${each} is added to the union ${name}` : `${name} implements ${each}`;
      yield { coordinate: name, message };
    }
  }
}

/** The members of a union, or the interfaces of a type. */
function membersOf(type: GraphQLNamedType): string[] {
  if (isUnionType(type)) return type.getTypes().map(({ name }) => name);
  return isObjectType(type) || isInterfaceType(type) ? type.getInterfaces().map(({ name }) => name) : [];
}

function* changesOfParts(before: GraphQLSchema, after: GraphQLSchema): Generator<Change> {
  const known = new Map<string, DescribedPart>();
  for (const part of describedParts(before)) known.set(part.coordinate, part);
  for (const now of describedParts(after)) {
    const { coordinate } = now;
    const old = known.get(coordinate);
    if (old) yield* changesOfPart(old, now);
    // The parts of a new type, and the arguments of a new field, are added with it.
    else if (before.getType(coordinate.split('.')[0]!) && !(coordinate.endsWith(':)') && !known.has(coordinate.split('(')[0]!))) {
      yield { coordinate, message: `${coordinate} is added` };
    }
  }
}

function* changesOfPart(old: DescribedPart, now: DescribedPart): Generator<Change> {
  const { coordinate } = now;
  if (old.type !== now.type) yield { coordinate, message: `${coordinate} has the type ${now.type} instead of ${old.type}` };
  if (old.deprecation !== now.deprecation) {
    const message =
      now.deprecation === undefined ? `${coordinate} is no longer deprecated` : `${coordinate} is deprecated: ${now.deprecation}`;
    yield { coordinate, message };
  }
  if (old.description !== now.description) yield { coordinate, message: `The description of ${coordinate} changes` };
}

/** A field, argument, input field or enum value of a schema. */
export interface SchemaPart {
  readonly coordinate: string;
  readonly description: string;
  /** Undefined unless the part is deprecated. */
  readonly deprecation?: string;
}

interface DescribedPart extends SchemaPart {
  /** As in SDL, with the default; empty for an enum value. */
  readonly type: string;
}

/** The parts of a schema whose use is counted, in the order of the schema. */
export const partsOf = (schema: GraphQLSchema): SchemaPart[] => [...describedParts(schema)].map(({ type: _, ...part }) => part);

/** The parts of a schema with their types. */
function* describedParts(schema: GraphQLSchema): Generator<DescribedPart> {
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        yield describe(`${type.name}.${field.name}`, field, String(field.type));
        for (const argument of field.args)
          yield describe(`${type.name}.${field.name}(${argument.name}:)`, argument, inputOf(argument));
      }
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) yield describe(`${type.name}.${field.name}`, field, inputOf(field));
    } else if (isEnumType(type)) {
      for (const value of type.getValues()) yield describe(`${type.name}.${value.name}`, value, '');
    }
  }
}

interface Described {
  readonly description?: string | null;
  readonly deprecationReason?: string | null;
}

const describe = (coordinate: string, { description, deprecationReason }: Described, type: string): DescribedPart => ({
  coordinate,
  description: description ?? '',
  deprecation: deprecationReason ?? undefined,
  type,
});

const inputOf = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField): string =>
  defaultValue === undefined ? String(type) : `${type} = ${JSON.stringify(defaultValue)}`;
