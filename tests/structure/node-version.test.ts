import { textOf } from './files.ts';

test('.nvmrc names the Node version of the project', () => {
  const { devDependencies } = JSON.parse(textOf('package.json')) as { devDependencies: { node: string } };
  expect(textOf('.nvmrc').trim()).toBe(devDependencies.node);
});
