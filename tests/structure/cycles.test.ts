import { globSync } from 'node:fs';
import { type Import, importsOf, root, sources } from './files.ts';

const pages = globSync('web/{shared,dashboard/src,widget/src}/**/*.{ts,tsx}', { cwd: root });
const files = [...sources, ...pages];

/** A face exports what all files of its folder declare, so types that cross it in both directions are no cycle of files. */
const isTypeOfFace = ({ target, typeOnly }: Import) => typeOnly && /^platform\/[^/]+\/index\.ts$/.test(target);

test('imports have no cycles, not even of types, except types through the faces of platform', () => {
  expect(pages.length).toBeGreaterThan(50);
  const graph = new Map(
    files.map((file) => [file, importsOf(file).flatMap((each) => (each.own && !isTypeOfFace(each) ? [each.target] : []))]),
  );
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
