import { buildSchema } from 'graphql';
import { errors, requestErrors } from '../../schema/errors.ts';
import { textOf } from './files.ts';

const all: Record<string, number> = { ...errors, ...requestErrors };
const codes = Object.entries(all).map(([code, status]) => `${code} ${status}`);

test('the page for clients lists every code with its status, and no other', () => {
  const rows = [...textOf('docs/graphql.md').matchAll(/^\| `([A-Z_]+)` \| (\d+) \| .+ \| .+ \|$/gm)];
  expect(rows.map(([, code, status]) => `${code} ${status}`).sort()).toEqual(codes.sort());
});

test('the schema names every code, and no other', () => {
  const { description } = buildSchema(textOf('schema/api.graphql')).getQueryType()!;
  expect(description!.match(/\b[A-Z]+(_[A-Z]+)+\b/g)!.sort()).toEqual(
    Object.keys(all)
      .filter((code) => code.includes('_'))
      .sort(),
  );
});

test('no code has two meanings', () => {
  expect(Object.keys(errors).filter((code) => code in requestErrors)).toEqual([]);
});
