// Writes supergraph.graphql. `rover supergraph compose` does the same.
import { readFile, writeFile } from 'node:fs/promises';
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';

const subgraphs = [
  { name: 'products', url: 'http://127.0.0.1:4101/', file: 'products.graphql' },
  { name: 'reviews', url: 'http://127.0.0.1:4102/graphql', file: 'reviews.graphql' },
  { name: 'inventory', url: 'http://127.0.0.1:4103/graphql', file: 'inventory/schema.graphql' },
];

const [target = 'supergraph.graphql'] = process.argv.slice(2);
const read = async ({ name, url, file }) => ({
  name,
  url,
  typeDefs: parse(await readFile(new URL(file, import.meta.url), 'utf8')),
});
const { supergraphSdl, errors = [] } = composeServices(await Promise.all(subgraphs.map(read)));
for (const { message } of errors) console.error(message);
if (errors.length > 0) process.exit(1);
await writeFile(target, supergraphSdl);
