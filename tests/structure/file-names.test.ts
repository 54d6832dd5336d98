import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { root, sources, textOf } from './files.ts';

/** Names of files with the same role in several folders, as in `CONTRIBUTING.md`. */
const roles = new Set([
  'activities.ts',
  'config.ts',
  'delivery-resolver.ts',
  'entity.ts',
  'index.ts',
  'kind.ts',
  'page.tsx',
  'resolver.ts',
  'service.ts',
  'tables.ts',
  'types.ts',
  'vite.config.ts',
  'workflow.ts',
]);
/** Folders whose files are named after the resource or the page that they describe. */
const named = /^rest-adapter\/routes\/|\/migrations\/|\/strings\/[a-z]{2}\//;

test('a file name means one file, except for roles', () => {
  const files = globSync('{gateway,platform,rest-adapter,schema,server,start,subgraphs,web,workflows}/**/*.{ts,tsx,mjs}', {
    cwd: root,
    exclude: ['**/node_modules', '**/dist', '**/generated', 'gateway/example'],
  }).filter((file) => !roles.has(basename(file)) && !named.test(file));
  expect(files.length).toBeGreaterThan(500);

  const byName = Map.groupBy(files, (file) => basename(file));
  expect([...byName.values()].filter((same) => same.length > 1)).toEqual([]);
});

/** A JSON schema is declared by the OpenAPI documents and by the prompts, which share no folder. */
const sameInTwoFolders = ['JsonSchema'];

test('an exported type name means one type in the services', () => {
  // The gateway is a package of its own, and the pages are clients with the names of the graph.
  const services = sources.filter((file) => /^(platform|rest-adapter|schema|server|start|subgraphs|workflows)\//.test(file));
  const types = services.flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:abstract )?(?:class|interface|type|enum) (\w+)/gm)].map(([, name]) => ({
      name: name!,
      file,
    })),
  );
  expect(types.length).toBeGreaterThan(1_000);

  const byName = Map.groupBy(types, ({ name }) => name);
  const repeated = [...byName].filter(([name, same]) => same.length > 1 && !sameInTwoFolders.includes(name));
  expect(repeated.map(([name, same]) => [name, ...same.map(({ file }) => file)])).toEqual([]);
});
