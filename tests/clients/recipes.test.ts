import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../structure/files.ts';
import { color, seedCatalog } from '../support/enrichment.ts';
import { codeOf, runScript } from './page.ts';

const PAGE = ['docs/graphql-clients.md'];

const PRELUDE = `
const url = process.env.CATALOG_URL;
const headers = { 'x-api-key': process.env.CATALOG_KEY };
const [id, missing] = JSON.parse(process.env.IDS);
const print = (name, value) => console.log(JSON.stringify({ [name]: value }));
/** Note a change of the page; an answer that changes nothing is not seen. */
const show = (shown, value) => JSON.stringify(shown.at(-1)) === JSON.stringify(value) || shown.push(value);
const skusOf = (page) => page.nodes.map(({ sku }) => sku);
setTimeout(() => process.exit(1), 30_000).unref();
const until = async (isTrue) => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
};
`;

/** The page that a person sees: a list that grows, a comparison with a missing record, and a product whose history is slow. */
const pages = {
  apollo: `
    const lists = [];
    list.subscribe(({ data, dataState, loading }) => dataState === 'complete' && !loading && show(lists, skusOf(data.products)));
    await until(() => lists.length === 1);
    await loadMore();
    await until(() => lists.length === 2);
    print('lists', lists);
    const { data, error } = await compare({ one: id, other: missing });
    print('compared', [data.one.name, data.other, error.errors.map(({ extensions }) => extensions.code)]);
    const parts = [];
    product(id).subscribe(({ data, dataState }) => data && show(parts, [data.product.name, data.product.enrichmentHistory?.nodes.length ?? null]));
    await until(() => parts.at(-1)?.[1] > 0);
    print('parts', parts);
    apollo.stop();`,
  urql: `
    const lists = [];
    const first = await list().toPromise();
    lists.push(skusOf(first.data.products));
    lists.push(skusOf((await list(first.data.products.endCursor).toPromise()).data.products));
    print('lists', lists);
    const { data, error } = await compare({ one: id, other: missing }).toPromise();
    print('compared', [data.one.name, data.other, error.graphQLErrors.map(({ extensions }) => extensions.code)]);
    const parts = [];
    product(id).subscribe(({ data }) => data && show(parts, [data.product.name, data.product.enrichmentHistory?.nodes.length ?? null]));
    await until(() => parts.at(-1)?.[1] > 0);
    print('parts', parts);`,
  relay: `
    const lists = [];
    for (let after = null, skus = []; lists.length === 0 || after; ) {
      const { products } = await read(shopProductsQuery, { filter: { brand: 'norrvik' }, after }).toPromise();
      lists.push((skus = [...skus, ...skusOf(products)]));
      after = products.endCursor;
    }
    print('lists', lists);
    const { one, other } = await read(shopComparedQuery, { one: id, other: missing }).toPromise();
    print('compared', [one.value.name, other.ok ? other.value : null, other.errors.map(({ extensions }) => extensions.code)]);
    const parts = [];
    read(shopProductQuery, { id }).subscribe({
      next: ({ product }) => {
        const history = environment.lookup(getSingularSelector(shopHistory_product, product));
        show(parts, [product.name, history.isMissingData ? null : history.data.enrichmentHistory.nodes.length]);
      },
    });
    await until(() => parts.at(-1)?.[1] > 0);
    print('parts', parts);
    const operation = createOperationDescriptor(getRequest(shopProductQuery), { id });
    environment.retain(operation);
    await rename('Renamed');
    await read(shopComparedQuery, { one: id, other: missing }).toPromise();
    print('refetched', environment.lookup(operation.fragment).data.product.name);`,
};

/** Relay reads through its store; its hooks do the same in a component. */
const RELAY = `
import { createOperationDescriptor, fetchQuery as execute, getRequest, getSingularSelector } from 'relay-runtime';
const read = (query, variables) => execute(environment, query, variables);
const rename = async (name) => {
  const query = 'mutation ($id: ID!, $name: String!) { updateProduct(id: $id, input: { name: $name }) { id } }';
  const body = JSON.stringify({ query, variables: { id, name } });
  await fetch(url + '/graphql', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body });
};
`;

async function run(client: keyof typeof pages, code = codeOf(`js ${client}`, PAGE).join('')) {
  const { key, slug, addProducts, enrich } = await seedCatalog([color]);
  const names = ['Bench lamp', 'Desk lamp', 'Oak chair'];
  const [id] = await addProducts(
    names.map((name, at) => ({ sku: `R-${at}`, name, brand: 'Norrvik', userProvidedRawDataSources: ['Color: red'] })),
  );
  await enrich([id!]);
  const env = { CATALOG_URL: process.env.TEST_URL!, CATALOG_KEY: key, IDS: JSON.stringify([id, randomUUID()]) };
  const { code: exit, lines } = await runScript(`${client}-${slug}`, [PRELUDE, code, pages[client]].join('\n'), env);
  if (exit !== 0) throw new Error(lines.join('\n'));
  return Object.assign({}, ...lines.map((line) => JSON.parse(line)));
}

const seen = {
  lists: [
    ['R-0', 'R-1'],
    ['R-0', 'R-1', 'R-2'],
  ],
  compared: ['Bench lamp', null, ['NOT_FOUND']],
  parts: [
    ['Bench lamp', null],
    ['Bench lamp', 1],
  ],
};

test.each(['apollo', 'urql'] as const)('the recipe of %s', async (client) => {
  expect(await run(client)).toEqual(seen);
});

test('the recipe of Relay, with its compiler', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-graph-relay-'));
  try {
    const code = codeOf('js relay', PAGE).join('');
    expect(await run('relay', RELAY + (await compiled(code, folder)))).toEqual({ ...seen, refetched: 'Renamed' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Compile the documents of a script, and import each where Relay's Babel plugin does. */
async function compiled(code: string, folder: string): Promise<string> {
  await mkdir(join(folder, 'src'));
  await cp(join(root, 'schema/api.graphql'), join(folder, 'api.graphql'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'relay.config.json'), codeOf('json relay', PAGE).join(''));
  await writeFile(join(folder, 'src/shop.js'), code);
  await promisify(execFile)(join(root, 'node_modules/.bin/relay-compiler'), [], { cwd: folder });
  const names: string[] = [];
  const body = code.replace(/const (\w+) = graphql`[^`]*`;/g, (_, name: string) => {
    names.push(name);
    return '';
  });
  const imports = names.map((name) => `import ${name} from '${folder}/src/__generated__/${name}.graphql.js';`);
  return [...imports, body].join('\n');
}
