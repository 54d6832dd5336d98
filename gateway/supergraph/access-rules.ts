import type { CoreFeature, Directive, Schema } from '@apollo/federation-internals';
import { NamedSchemaElement } from '@apollo/federation-internals';

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

/** Access rules by coordinate: `Product` or `Product.price`. */
export type AccessRules = ReadonlyMap<string, AccessRule>;

const readers: readonly [string, (given: Record<string, unknown>) => AccessRule][] = [
  ['authenticated', () => ({ isAuthenticated: true })],
  ['requiresScopes', ({ scopes }) => ({ scopes: scopes as AnyOf })],
  ['policy', ({ policies }) => ({ policies: policies as AnyOf })],
];

/** The features of a supergraph that the rules execute. */
export const accessFeatures: readonly string[] = readers.map(([name]) => `https://specs.apollo.dev/${name}/v0.1`);

/** Read `@authenticated`, `@requiresScopes` and `@policy` of a supergraph, also under other names. */
export function accessRulesOf(schema: Schema): AccessRules {
  const rules = new Map<string, AccessRule>();
  for (const [name, read] of readers) {
    const feature = schema.coreFeatures?.getByIdentity(`https://specs.apollo.dev/${name}`);
    for (const applied of applicationsOf(schema, feature, name)) {
      const { parent } = applied;
      if (!(parent instanceof NamedSchemaElement)) continue;
      rules.set(parent.coordinate, { ...rules.get(parent.coordinate), ...read({ ...applied.arguments() }) });
    }
  }
  return rules;
}

function applicationsOf(schema: Schema, feature: CoreFeature | undefined, name: string): Iterable<Directive> {
  const directive = feature && schema.directive(feature.directiveNameInSchema(name));
  return directive?.applications() ?? [];
}
