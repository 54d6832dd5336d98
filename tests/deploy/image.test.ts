import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/npm.ts';
import { commandsOf, stages, wordsOf } from './dockerfile.ts';

const final = stages().at(-1)!;
const only = (name: string) => {
  const found = final.instructions.filter((each) => each.name === name);
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
};

test('every base image has an exact version', () => {
  for (const { image } of stages()) expect(image).toMatch(/^[a-z]+:\d+\.\d+(\.\d+)?-/);
});

test('the base image has the version of Node that the project runs on', () => {
  const { node } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies;
  expect(stages().map(({ image }) => image)).toContain(`node:${node}-bookworm-slim`);
});

test('the image runs as a user that is not root, and checks its health', () => {
  expect(only('USER').value).toMatch(/^[1-9]\d+:[1-9]\d+$/);
  const probe = wordsOf(only('HEALTHCHECK')).at(-1)!;
  expect(existsSync(join(root, probe.replace('/app/', '')))).toBe(true);
});

test('the last stage has no build tools: it installs nothing and starts Node from the packages', () => {
  expect(final.image).toMatch(/^debian:/);
  expect(final.instructions.filter(({ name, value }) => name === 'RUN' && /apt|npm|curl/.test(value))).toEqual([]);
  expect(wordsOf(only('ENTRYPOINT'))[0]).toBe('/app/node_modules/node/bin/node');
  expect(commandsOf('product')).toContain('npm ci --omit=dev --no-audit --no-fund');
});

test('every file that the image copies exists', () => {
  const copied = stages()
    .flatMap(({ instructions }) => instructions)
    .flatMap(({ name, value }) => (name === 'COPY' && !value.startsWith('--from') ? value.split(' ').slice(0, -1) : []));
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
