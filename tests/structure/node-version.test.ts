import { textOf } from './files.ts';

test('.nvmrc names the Node that the project brings', () => {
  const { devDependencies } = JSON.parse(textOf('package.json')) as { devDependencies: { node: string } };
  expect(textOf('.nvmrc').trim()).toBe(devDependencies.node);
});
