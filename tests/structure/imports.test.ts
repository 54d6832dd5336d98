import { dirname, join } from 'node:path';
import { importsOf, sources, textOf } from './files.ts';

/** Permitted imports of each folder. */
const allowed: Record<string, string[]> = {
  schema: ['gateway/index.ts'],
  gateway: [],
  server: [
    'schema',
    'gateway/index.ts',
    'gateway/apollo.ts',
    'gateway/event-stream.ts',
    'gateway/graphql-over-http.ts',
    'web/shared/own-path.ts',
  ],
  'rest-adapter': ['schema', 'server', 'gateway/index.ts'],
  platform: ['schema', 'gateway/index.ts', 'gateway/cache.ts', 'gateway/event-stream.ts', 'gateway/registry/index.ts'],
  'subgraphs/catalog': ['schema', 'platform', 'gateway/event-stream.ts'],
  'subgraphs/agent': ['schema', 'platform', 'gateway/event-stream.ts'],
  'subgraphs/site-content': ['schema', 'platform'],
  workflows: ['schema', 'platform', 'subgraphs'],
};

const isIn = (target: string, place: string) => target === place || target.startsWith(`${place}/`);
const folderOf = (file: string) => Object.keys(allowed).find((folder) => isIn(file, folder));
const product = sources.filter((file) => !['start', 'tests', 'bench', 'gateway/example'].some((folder) => isIn(file, folder)));

test('every folder of the product is in the table', () => {
  expect(product.length).toBeGreaterThan(50);
  expect(product.filter((file) => folderOf(file) === undefined)).toEqual([]);
});

test.each(Object.entries(allowed))('%s imports only itself and %p', (folder, others) => {
  const strangers = product
    .filter((file) => folderOf(file) === folder)
    .flatMap((file) =>
      importsOf(file)
        .filter(({ own, target }) => own && ![folder, ...others].some((place) => isIn(target, place)))
        .map(({ target }) => `${file} imports ${target}`),
    );
  expect(strangers).toEqual([]);
});

/** The light faces are for code that runs in a reading thread, which loads neither the database nor the model. */
const faces = /^platform\/([^/]+)\/index\.ts$|^platform\/reading\/(task|unzip|open-pdf)\.ts$/;
const capabilityOf = (file: string) => (isIn(file, 'platform') ? file.split('/')[1] : undefined);

test('folders of platform are imported by their face only', () => {
  const strangers = product.flatMap((file) =>
    importsOf(file)
      .filter(({ target }) => capabilityOf(target) && capabilityOf(target) !== capabilityOf(file) && !faces.test(target))
      .map(({ target }) => `${file} imports ${target}`),
  );
  expect(strangers).toEqual([]);
});

test('every folder of platform has a face that says what the folder promises', () => {
  const folders = [...new Set(product.flatMap((file) => capabilityOf(file) ?? []))];
  const silent = folders.filter((folder) => !/^\/\*\* [A-Z][\s\S]{40,}? \*\//.test(textOf(`platform/${folder}/index.ts`)));
  expect(silent).toEqual([]);
});

test('the folder jobs imports only attribute values from the catalog', () => {
  const strangers = product
    .filter((file) => isIn(file, 'subgraphs/catalog/jobs'))
    .flatMap(importsOf)
    .filter(({ target }) => isIn(target, 'subgraphs/catalog') && !isIn(target, 'subgraphs/catalog/jobs'));
  expect(strangers.map(({ target }) => target).sort()).toEqual([
    'subgraphs/catalog/attributes/attribute-content.ts',
    'subgraphs/catalog/attributes/value-types.ts',
    'subgraphs/catalog/stats/entity.ts',
  ]);
});

test('the product imports nothing of start, tests or bench', () => {
  const strangers = product.flatMap((file) =>
    importsOf(file).filter(({ own, target }) => own && ['start', 'tests', 'bench'].some((place) => isIn(target, place))),
  );
  expect(strangers).toEqual([]);
});

/** Modules that workflow code may import, because they run in the workflow sandbox too. */
const inSandbox = ['contract.ts', 'job/concurrency-window.ts'];

test('workflow code imports values only from the workflow library and modules of the sandbox', () => {
  const allowed = ['@temporalio/workflow', ...inSandbox.map((file) => `workflows/${file}`)];
  const workflows = sources.filter((file) => /^workflows\/[^/]+\/workflow\.ts$/.test(file));
  expect(workflows).not.toEqual([]);
  const strangers = workflows.flatMap((file) =>
    importsOf(file)
      .filter(({ typeOnly, target }) => !typeOnly && !allowed.includes(target))
      .map(({ target }) => `${file} imports ${target}`),
  );
  expect(strangers).toEqual([]);
});

test.each([...inSandbox, 'tracing/interceptors.ts'])('workflows/%s imports only what runs in the workflow sandbox', (file) => {
  const sandboxed = ['@temporalio/workflow', '@temporalio/common'];
  const imports = importsOf(`workflows/${file}`).filter(({ typeOnly }) => !typeOnly);
  const strangers = imports.filter(({ target }) => !sandboxed.includes(target));
  expect(strangers).toEqual([]);
});

test.each(['schema', 'rest-adapter', 'platform'])(
  '%s imports only types of the gateway, except its cache, event streams and registry',
  (folder) => {
    const imports = product.filter((file) => isIn(file, folder)).flatMap(importsOf);
    const values = imports.filter(({ target, typeOnly }) => isIn(target, 'gateway') && !typeOnly).map(({ target }) => target);
    const files = ['gateway/cache.ts', 'gateway/event-stream.ts', 'gateway/registry/index.ts'];
    expect([...new Set(values)].sort()).toEqual(folder === 'platform' ? files : []);
  },
);

test('the product imports the gateway by the name of its package', () => {
  const outside = sources.filter((file) => !/^(gateway|tests|bench)\//.test(file));
  const pathsOf = (file: string) => Array.from(textOf(file).matchAll(/'(\.[^']+)'/g), ([, path]) => join(dirname(file), path!));
  expect(outside.filter((file) => pathsOf(file).some((path) => isIn(path, 'gateway')))).toEqual([]);
});

test('the package of the gateway lists the packages that it imports', () => {
  const { dependencies, peerDependencies } = JSON.parse(textOf('gateway/package.json'));
  const imported = product.filter((file) => isIn(file, 'gateway')).flatMap(importsOf);
  const packages = imported.filter(({ own, target }) => !own && !target.startsWith('node:')).map(({ target }) => target);
  expect([...new Set(packages)].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
});

/** Modules that open connections. Only `outbound` may connect to URLs from callers. */
const connecting: Record<string, string[]> = {
  undici: [
    'server/files-http.ts',
    'gateway/apollo/data-source.ts',
    'gateway/sources/http-source.ts',
    'gateway/supergraph/location.ts',
    'platform/files/bucket.ts',
    'platform/outbound',
  ],
  openai: ['platform/model'],
  'node:http': ['server/server.ts'],
  'node:https': [],
  'node:http2': [],
  // The pooler module sends cancel requests to the database.
  'node:net': ['gateway/sources/http1', 'platform/outbound', 'platform/database/pooler.ts'],
  'node:tls': ['gateway/sources/http1', 'server/config.ts'],
  'node:dgram': [],
  axios: [],
  got: [],
  'node-fetch': [],
};

test.each(Object.entries(connecting))('%s is imported only by %p', (name, places) => {
  const strangers = product.filter(
    (file) =>
      !places.some((place) => isIn(file, place)) && importsOf(file).some(({ target, typeOnly }) => target === name && !typeOnly),
  );
  expect(strangers).toEqual([]);
});

test('the product does not use the built-in fetch, WebSocket or EventSource', () => {
  const calls = /(?<![.\w])(?:globalThis\.)?(?:fetch\(|new WebSocket\(|new EventSource\()/;
  const commentless = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  expect(product.filter((file) => calls.test(commentless(textOf(file))))).toEqual([]);
});

test('no import names node_modules or omits its extension, and no product file has a default export', () => {
  const ownSources = sources.filter((file) => file.endsWith('.ts'));
  const imports = ownSources.flatMap((file) => importsOf(file).map((each) => ({ file, ...each })));
  expect(imports.filter(({ target }) => target.includes('node_modules'))).toEqual([]);
  expect(imports.filter(({ own, target }) => own && !/\.(ts|mjs|json)$/.test(target))).toEqual([]);
  expect(product.filter((file) => /^export default/m.test(textOf(file)))).toEqual([]);
});

test.each([
  ['gateway/selection.ts', []],
  ['gateway/planner', ['gateway/planner', 'gateway/selection.ts', 'gateway/supergraph', 'gateway/gateway-error.ts']],
  ['gateway/sources', ['gateway/sources', 'gateway/source-contract.ts', 'gateway/gateway-error.ts']],
])('%s imports only layers below it', (layer, below) => {
  const targets = product.filter((file) => isIn(file, layer)).flatMap((file) => importsOf(file).filter(({ own }) => own));
  expect(targets.filter(({ target }) => !below.some((place) => isIn(target, place))).map(({ target }) => target)).toEqual([]);
});
