import { textOf } from './files.ts';

test('.nvmrc names the Node version of the project', () => {
  const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: { node: string } };
  expect(textOf('.nvmrc').trim()).toBe(dependencies.node);
});
