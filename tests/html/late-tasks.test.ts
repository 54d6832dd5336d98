import { readContent, reader } from '../../platform/reading/reading.ts';
import type { tasks } from './late-tasks.ts';

test('a running thread also works for a module that its lane learns of later', async () => {
  expect(await readContent('acme', 'plainTexts', ['<p>a'])).toEqual(['a']);
  const late = reader<typeof tasks>('pages', new URL('./late-tasks.ts', import.meta.url));
  expect(await late('acme', 'double', 21)).toBe(42);
});
