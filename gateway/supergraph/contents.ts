import {
  DEFAULT_SUPPORTED_SUPERGRAPH_FEATURES,
  type Directive,
  DirectiveDefinition,
  type FieldDefinition,
  type InputType,
  isInterfaceType,
  isObjectType,
  NamedSchemaElement,
  type Schema,
  Supergraph,
  typeFromAST,
} from '@apollo/federation-internals';
import { DirectiveLocation, type DocumentNode, Kind, parse, parseType, valueFromASTUntyped } from 'graphql';
import { accessFeatures } from './access-rules.ts';

const supportedFeatures = new Set([...DEFAULT_SUPPORTED_SUPERGRAPH_FEATURES, ...accessFeatures]);

/** Build a supergraph. Throws when it does not validate, or requires a feature that the gateway does not execute. */
export const buildSupergraph = (sdl: string, validateSupergraph = true): Supergraph =>
  Supergraph.build(sdl, { supportedFeatures, validateSupergraph });

export interface SubgraphAddress {
  /** The value of `join__Graph` that directives use for the subgraph. */
  key: string;
  name: string;
  /** Empty when the supergraph was composed without addresses. */
  url: string;
}

let last: { sdl: string; subgraphs: SubgraphAddress[] } | undefined;

/** List the subgraphs in the `join__Graph` enum. Throws if the text is not a composed supergraph; the message is a predicate. */
export function subgraphsOf(sdl: string): SubgraphAddress[] {
  // Several settings of one start depend on it, and parsing a large supergraph takes 50 ms.
  if (last?.sdl !== sdl) last = { sdl, subgraphs: readSubgraphs(sdl) };
  return last.subgraphs.map((each) => ({ ...each }));
}

function readSubgraphs(sdl: string): SubgraphAddress[] {
  const graphs = documentIn(sdl).definitions.find(
    (each) => each.kind === Kind.ENUM_TYPE_DEFINITION && each.name.value === 'join__Graph',
  );
  if (graphs?.kind !== Kind.ENUM_TYPE_DEFINITION) throw new Error('is not a composed supergraph: it has no enum join__Graph');
  return (graphs.values ?? []).map((value) => {
    const given = value.directives?.find(({ name }) => name.value === 'join__graph')?.arguments ?? [];
    const argument = (name: string) => {
      const node = given.find((each) => each.name.value === name);
      return node ? String(valueFromASTUntyped(node.value) ?? '') : '';
    };
    return { key: value.name.value, name: argument('name'), url: argument('url') };
  });
}

function documentIn(sdl: string): DocumentNode {
  if (sdl.trim() === '') throw new Error('is empty');
  try {
    return parse(sdl, { noLocation: true });
  } catch (error) {
    const { message, locations } = error as { message: string; locations?: { line: number; column: number }[] };
    const [place] = locations ?? [];
    throw new Error(`is not GraphQL: ${message}${place ? ` in line ${place.line}, column ${place.column}` : ''}`);
  }
}

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

/** The size of a list as a subgraph declares it with `@listSize` of the cost specification. */
interface ListSize {
  /** The length when no slicing argument sets it. */
  readonly assumed?: number;
  /** Names of the arguments that set the length. */
  readonly slicing: readonly string[];
  /** Fields of the returned object that the length applies to, instead of the field itself. */
  readonly sized: readonly string[];
}

/** List sizes by `Type.field`, such as `Product.variants`. */
export type ListSizes = ReadonlyMap<string, ListSize>;

const COST = 'https://specs.apollo.dev/cost';

/** Read the list sizes that the subgraphs of a supergraph declare. */
export function listSizesOf({ schema }: Supergraph): ListSizes {
  const sizes = new Map<string, ListSize>();
  const directive = schema.coreFeatures?.getByIdentity(COST)?.directiveNameInSchema('listSize');
  if (!directive) return sizes;
  for (const type of schema.types()) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of type.fields() as FieldDefinition<typeof type>[]) {
      const [applied] = field.appliedDirectivesOf(directive);
      if (!applied) continue;
      const { assumedSize, slicingArguments, sizedFields } = applied.arguments() as {
        assumedSize?: number | null;
        slicingArguments?: string[] | null;
        sizedFields?: string[] | null;
      };
      sizes.set(`${type.name}.${field.name}`, {
        ...(typeof assumedSize === 'number' && { assumed: assumedSize }),
        slicing: slicingArguments ?? [],
        sized: sizedFields ?? [],
      });
    }
  }
  return sizes;
}
