import type { FieldDefinition, Supergraph } from '@apollo/federation-internals';
import { isInterfaceType, isObjectType } from '@apollo/federation-internals';

/** The size of a list as a subgraph declares it with `@listSize` of the cost specification. */
export interface ListSize {
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
