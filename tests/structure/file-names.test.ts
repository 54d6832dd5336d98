import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { root } from './files.ts';

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
