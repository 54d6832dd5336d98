import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { leastNeed } from '../../server/graphql/accepted-operation.ts';
import * as operations from '../../web/shared/visitor-operations.ts';

const root = join(import.meta.dirname, '../..');
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');

test.each(Object.entries(operations))('%s is valid and needs no key', (_, text) => {
  const schema = buildSchema(read('schema', 'api.graphql'));
  const document = parse(text);
  expect(validate(schema, document)).toEqual([]);
  expect(leastNeed(document, undefined, schema)).toBe('nothing');
});

test('the widget sends no operation that gateways do not know', () => {
  const written = /(['"`])\s*(?:query|mutation|subscription)?\s*(?:\w+\s*)?(?:\([^)]*\)\s*)?\{\s*\w+[^'"`]*\}\s*\1/;
  expect(written.test(`'mutation { endHandoff }'`)).toBe(true);
  const files = ['widget/src', 'shared'].flatMap((folder) =>
    readdirSync(join(root, 'web', folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => join('web', folder, path)),
  );
  expect(files.filter((file) => written.test(read(file)))).toEqual(['web/shared/visitor-operations.ts']);
});
