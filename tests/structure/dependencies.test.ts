import { readFileSync } from 'node:fs';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
const page = readFileSync('docs/dependencies.md', 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| `'));
const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
const covers = (name: string, dependency: string) =>
  name === dependency || (name.endsWith('/*') && dependency.startsWith(name.slice(0, -1)));

test('every run-time dependency has a reason on the page', () => {
  expect(Object.keys(dependencies).filter((each) => !named.some((name) => covers(name, each)))).toEqual([]);
});

test('the page names only run-time dependencies', () => {
  expect(named.filter((name) => !Object.keys(dependencies).some((each) => covers(name, each)))).toEqual([]);
});
