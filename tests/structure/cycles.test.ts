import { globSync } from 'node:fs';
import { importsOf, root, sources } from './files.ts';

const pages = globSync('web/{shared,dashboard/src,widget/src}/**/*.{ts,tsx}', { cwd: root });
const files = [...sources, ...pages];

test('imports have no cycles, not even of types', () => {
  expect(pages.length).toBeGreaterThan(300);
  const graph = new Map(files.map((file) => [file, importsOf(file).flatMap(({ own, target }) => (own ? [target] : []))]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file);
    if (at !== -1) return void cycles.push([...path.slice(at), file].join(' → '));
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  expect(cycles).toEqual([]);
});
