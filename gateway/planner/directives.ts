import type { Directive, InputType, Schema, Supergraph } from '@apollo/federation-internals';
import { DirectiveDefinition, NamedSchemaElement, typeFromAST } from '@apollo/federation-internals';
import type { DirectiveNode, DocumentNode, GraphQLSchema } from 'graphql';
import { astFromValue, DirectiveLocation, Kind, parseType, visit } from 'graphql';

const executableLocations = new Set<string>([
  DirectiveLocation.QUERY,
  DirectiveLocation.MUTATION,
  DirectiveLocation.SUBSCRIPTION,
  DirectiveLocation.FIELD,
  DirectiveLocation.FRAGMENT_DEFINITION,
  DirectiveLocation.FRAGMENT_SPREAD,
  DirectiveLocation.INLINE_FRAGMENT,
  DirectiveLocation.VARIABLE_DEFINITION,
]);

/**
 * Build the API schema of a supergraph. Unlike Apollo's, it includes the composed executable directives.
 * @param retained names of type, field and argument directives to include, with their applications
 */
export function apiOf(supergraph: Supergraph, retained: readonly string[] = []): Schema {
  const api = supergraph.apiSchema();
  for (const definition of supergraph.schema.directives()) {
    const isRetained = retained.includes(definition.name);
    const locations = definition.locations.filter((each) => isRetained || executableLocations.has(each));
    const types = definition.arguments().map(({ type }) => type && api.type(type.toString().replace(/[[\]!]/g, '')));
    if (locations.length === 0 || api.directive(definition.name) || types.includes(undefined)) continue;
    const added = api.addDirectiveDefinition(new DirectiveDefinition(definition.name));
    added.addLocations(...locations);
    added.repeatable = definition.repeatable;
    added.description = definition.description;
    for (const { name, type, defaultValue } of definition.arguments())
      added.addArgument(name, inputTypeIn(api, String(type)), defaultValue);
    if (isRetained) for (const each of definition.applications()) apply(each, api);
  }
  return api;
}

/** Apply a directive to the same element of the API schema, unless that is inaccessible. */
function apply(directive: Directive, api: Schema): void {
  const { parent } = directive;
  const element = parent instanceof NamedSchemaElement ? api.elementByCoordinate(parent.coordinate) : undefined;
  element?.applyDirective(directive.name, { ...directive.arguments() });
}

const inputTypeIn = (api: Schema, written: string): InputType => typeFromAST(api, parseType(written)) as InputType;

/** Write default arguments of directives into the document, because a subgraph may define the directive without them. */
export function withDefaults(document: DocumentNode, schema: GraphQLSchema): DocumentNode {
  return visit(document, {
    Directive(directive: DirectiveNode) {
      const given = new Set(directive.arguments?.map(({ name }) => name.value));
      const missing = schema
        .getDirective(directive.name.value)
        ?.args.filter(({ name, defaultValue }) => defaultValue !== undefined && !given.has(name));
      if (!missing?.length) return undefined;
      const defaults = missing.flatMap(({ name, type, defaultValue }) => {
        const value = astFromValue(defaultValue, type);
        return value ? [{ kind: Kind.ARGUMENT, name: { kind: Kind.NAME, value: name } as const, value } as const] : [];
      });
      return { ...directive, arguments: [...(directive.arguments ?? []), ...defaults] };
    },
  });
}
