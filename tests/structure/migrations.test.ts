import { basename, dirname } from 'node:path';
import { sources, textOf } from './files.ts';

/** The lists of migrations: the number of each entry, and the number of the file that it names. */
const lists = sources
  .filter((file) => /^(platform|subgraphs)\/.*\.ts$/.test(file) && /^ {2}migrations: \[/m.test(textOf(file)))
  .map((file) => {
    const text = textOf(file);
    const files = new Map(
      [...text.matchAll(/import \{ (\w+) \} from '.*\/migrations\/(\d{4})-/g)].map(([, name, number]) => [name, number]),
    );
    const entries = [...text.matchAll(/\{ name: '[\w-]+-(\d{4})', class: (\w+) \}/g)];
    return { file, entries: entries.map(([, number, name]) => ({ number: number!, file: files.get(name) })) };
  });

test.each(lists)('the migrations of $file are in the order of their numbers, which are those of their files', ({ entries }) => {
  const numbers = entries.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort());
  expect(entries.map(({ file }) => file)).toEqual(numbers);
});

test('every migration is in a list', () => {
  const written = sources.filter((file) => basename(dirname(file)) === 'migrations' && /^\d{4}-/.test(basename(file)));
  expect(lists.flatMap(({ entries }) => entries)).toHaveLength(
    written.filter((file) => /^(platform|subgraphs)\//.test(file)).length,
  );
});
