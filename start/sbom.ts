import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
}

interface Bill {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Lock {
  name: string;
  packages: Record<string, { name?: string; version: string; dev?: boolean; devOptional?: boolean; link?: boolean }>;
}

/**
 * Prints the CycloneDX bill of materials of the production packages. `npm sbom --omit dev` would leave out every production package that a
 * development package uses too, so this filters the whole bill by the lock file.
 */
const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only', '--loglevel=error'];
const bill = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })) as Bill;
const { name: product, packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const production = new Set(
  Object.entries(packages).flatMap(([path, { name = nameOf(path), version, dev, devOptional, link }]) =>
    path.startsWith('node_modules/') && !dev && !devOptional && !link ? [`${name}@${version}`] : [],
  ),
);

const components = bill.components.filter(({ name, version }) => production.has(`${name}@${version}`));
const root = bill.metadata.component;
const refs = new Set([root, ...components].map((each) => each['bom-ref']));
const dependencies = bill.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
// A reader such as `head` may close the pipe before the end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
// npm names the bill after the folder.
const metadata = { ...bill.metadata, component: { ...root, name: product } };
process.stdout.write(`${JSON.stringify({ ...bill, metadata, components, dependencies }, null, 2)}\n`);
