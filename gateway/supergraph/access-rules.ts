import {
  baseType,
  type CoreFeature,
  type Directive,
  FieldDefinition,
  InterfaceType,
  NamedSchemaElement,
  type NamedType,
  ObjectType,
  type Schema,
} from '@apollo/federation-internals';
import { Kind, type OperationDefinitionNode, parse, type SelectionSetNode } from 'graphql';

/** Conditions on the caller that a type or field states. All that are present must hold. */
export interface AccessRule {
  /** `@authenticated`: the caller must be known. */
  readonly isAuthenticated?: boolean;
  /** `@requiresScopes`: the caller must have all scopes of one of the lists. */
  readonly scopes?: AnyOf;
  /** `@policy`: the caller must meet all policies of one of the lists. */
  readonly policies?: AnyOf;
}

export type AnyOf = readonly (readonly string[])[];

/** Access rules by coordinate: `Product` or `Product.price`. All rules of a coordinate must hold. */
export type AccessRules = ReadonlyMap<string, readonly AccessRule[]>;

const readers: readonly [string, (given: Record<string, unknown>) => AccessRule][] = [
  ['authenticated', () => ({ isAuthenticated: true })],
  ['requiresScopes', ({ scopes }) => ({ scopes: scopes as AnyOf })],
  ['policy', ({ policies }) => ({ policies: policies as AnyOf })],
];

/** The features of a supergraph that the rules execute. */
export const accessFeatures: readonly string[] = readers.map(([name]) => `https://specs.apollo.dev/${name}/v0.1`);

/**
 * Read `@authenticated`, `@requiresScopes` and `@policy` of a supergraph, also under other names. A field with `@requires` has the rules of the
 * fields that it requires, because its value can reveal theirs. Composition before Federation 2.13 does not demand that it states them.
 */
export function accessRulesOf(schema: Schema): AccessRules {
  const stated = new Map<string, AccessRule>();
  for (const [name, read] of readers) {
    for (const applied of applicationsOf(schema, name, name)) {
      const { parent } = applied;
      if (!(parent instanceof NamedSchemaElement)) continue;
      stated.set(parent.coordinate, { ...stated.get(parent.coordinate), ...read({ ...applied.arguments() }) });
    }
  }
  const rules = new Map([...stated].map(([coordinate, rule]) => [coordinate, [rule]]));
  if (rules.size > 0) inheritRules(rules, requirementsOf(schema));
  return rules;
}

function inheritRules(
  rules: Map<string, AccessRule[]>,
  requirements: readonly (readonly [field: string, required: string])[],
): void {
  // Again while it changes something, because a required field can have requirements of its own.
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const [field, required] of requirements) {
      const own = rules.get(field) ?? [];
      const more = rules.get(required)?.filter((rule) => !own.includes(rule)) ?? [];
      if (more.length === 0) continue;
      rules.set(field, [...own, ...more]);
      isChanged = true;
    }
  }
}

/** The coordinates of fields with `@requires`, each with a coordinate that it requires. */
function requirementsOf(schema: Schema): [field: string, required: string][] {
  return [...applicationsOf(schema, 'join', 'field')].flatMap((applied): [string, string][] => {
    const { parent: field } = applied;
    const { requires } = applied.arguments();
    if (typeof requires !== 'string' || !(field instanceof FieldDefinition)) return [];
    const { selectionSet } = parse(`{ ${requires} }`).definitions[0] as OperationDefinitionNode;
    const required = [...coordinatesIn(selectionSet, field.parent)];
    return withImplementations(field.parent).flatMap(({ name }) =>
      required.map((each): [string, string] => [`${name}.${field.name}`, each]),
    );
  });
}

/** The coordinates of the fields and types of a selection. */
function* coordinatesIn({ selections }: SelectionSetNode, type: NamedType): Generator<string> {
  for (const selection of selections) {
    if (selection.kind === Kind.FRAGMENT_SPREAD) continue;
    let inner: NamedType | undefined = type;
    if (selection.kind === Kind.FIELD) {
      const name = selection.name.value;
      for (const each of withImplementations(type)) yield `${each.name}.${name}`;
      const field = type instanceof ObjectType || type instanceof InterfaceType ? type.field(name) : undefined;
      inner = field?.type && baseType(field.type);
    } else if (selection.typeCondition) {
      inner = type.schema().type(selection.typeCondition.name.value);
    }
    if (!inner) continue;
    yield inner.name;
    if (selection.selectionSet) yield* coordinatesIn(selection.selectionSet, inner);
  }
}

/** A type, with those that implement it. */
const withImplementations = (type: NamedType): NamedType[] =>
  type instanceof InterfaceType ? [type, ...type.possibleRuntimeTypes()] : [type];

function applicationsOf(schema: Schema, feature: string, name: string): Iterable<Directive> {
  const found: CoreFeature | undefined = schema.coreFeatures?.getByIdentity(`https://specs.apollo.dev/${feature}`);
  const directive = found && schema.directive(found.directiveNameInSchema(name));
  return directive?.applications() ?? [];
}
