import { composeServices } from '@apollo/composition';
import { accounts } from './accounts.ts';
import { inventory } from './inventory.ts';
import { products } from './products.ts';
import { reviews } from './reviews.ts';
import type { BenchSubgraph } from './subgraph.ts';

export const subgraphs: readonly BenchSubgraph[] = [accounts, products, reviews, inventory];

/** Compose the supergraph of all four subgraphs at these URLs. */
export function compose(addresses: Record<string, string>): string {
  const { supergraphSdl, errors } = composeServices(
    subgraphs.map(({ name, typeDefs }) => ({ name, typeDefs, url: addresses[name] })),
  );
  if (!supergraphSdl) throw new Error(errors?.map(({ message }) => message).join('\n'));
  return supergraphSdl;
}
