import type { FieldDefinition, Supergraph } from '@apollo/federation-internals';
import { isInterfaceType, isObjectType } from '@apollo/federation-internals';

/** What a subgraph says of the length of a list, by `@listSize` of the cost specification. */
export interface ListSize {
  /** The length of a list whose arguments do not say it. */
  readonly assumed?: number;
  /** Arguments that say the length. */
  readonly slicing: readonly string[];
  /** Lists of the returned object that the length applies to, instead of the field itself. */
  readonly sized: readonly string[];
}

/** By type and field: `Product.variants`. */
export type ListSizes = ReadonlyMap<string, ListSize>;

const COST = 'https://specs.apollo.dev/cost';

/** The list sizes that the subgraphs of a supergraph declare. */
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
