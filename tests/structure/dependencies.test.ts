import { readFileSync } from 'node:fs';
import { type Import, importsOf } from './files.ts';

interface Package {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}

const packageAt = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Package;
const product = packageAt('package.json');
const gateway = packageAt('gateway/package.json');
const page = readFileSync('docs/dependencies.md', 'utf8');
const [runTime = '', ofGateway = '', ofDevelopment = ''] = page.split(/^## .*$/m);

/** Packages in the first column of the tables of a section. */
const namedIn = (section: string) =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
const covers = (name: string, dependency: string) =>
  name === dependency || (name.endsWith('/*') && dependency.startsWith(name.slice(0, -1)));

test.each([
  ['of the product', runTime, product.dependencies],
  ['of the gateway', ofGateway, { ...gateway.dependencies, ...gateway.peerDependencies }],
])('every run-time dependency %s has its reason on the page, and no other package has', (_, section, dependencies) => {
  const named = namedIn(section);
  const names = Object.keys(dependencies);
  expect(names.filter((each) => !named.some((name) => covers(name, each)))).toEqual([]);
  expect(named.filter((name) => !names.some((each) => covers(name, each)))).toEqual([]);
});

test('the development dependencies on the page are development dependencies', () => {
  expect(namedIn(ofDevelopment).filter((name) => !(name in product.devDependencies))).toEqual([]);
});

test.each(['gateway', 'subgraph', 'worker', 'migrate', 'key', 'login', 'organization'])(
  'start/%s.ts reaches no development dependency',
  (name) => {
    const reached = new Map<string, Import[]>();
    const visit = (file: string) => {
      if (reached.has(file) || !file.endsWith('.ts')) return;
      const imports = importsOf(file).filter(({ typeOnly }) => !typeOnly);
      reached.set(file, imports);
      for (const { own, target } of imports) if (own) visit(target);
    };
    visit(`start/${name}.ts`);
    const installed = { ...product.dependencies, ...gateway.dependencies };
    const missing = [...reached].flatMap(([file, imports]) =>
      imports
        .filter(({ own, target }) => !own && !target.startsWith('node:') && !(target in installed))
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(missing).toEqual([]);
  },
);

test('every production package with native code or an install script is explained, and its script is permitted', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; hasInstallScript?: boolean; os?: string[] }>;
  };
  const production = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const scripts = production.filter(([, each]) => each.hasInstallScript).map(([path]) => nameOf(path));
  const compiled = production
    .filter(([, { os }]) => os)
    .map(([path]) => nameOf(path).replace(/^(@swc\/core|@napi-rs\/nice)-.*/, '$1'));
  const explained = namedIn(page.slice(page.indexOf('## Native packages')));
  expect([...new Set([...scripts, ...compiled, '@temporalio/core-bridge'])].sort()).toEqual([...explained].sort());
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { allowScripts: Record<string, boolean> };
  expect(scripts.filter((name) => !allowScripts[name])).toEqual([]);
});

test('every version of a run-time dependency is exact', () => {
  const versions = Object.entries({ ...product.dependencies, ...gateway.dependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});
