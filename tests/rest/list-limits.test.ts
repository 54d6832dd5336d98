import { expect, jest, test } from '@jest/globals';
import type { Operation } from 'compiled-gateway';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { limitLists } from '../../server/input-limits.ts';

const schema = buildSchema(`
  directive @constraint(maxItems: Int) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
  input Row { name: String }
  input Batch { rows: [Row!]! @constraint(maxItems: 2), next: Batch }
  type Query { byIds(ids: [ID!]! @constraint(maxItems: 3)): Int, load(input: Batch!): Int, free(ids: [ID!]): Int }
`);
const context = { headers: {} };

function operation(text: string) {
  const execute = jest.fn<Operation['execute']>().mockResolvedValue({ data: '{}' });
  const inner: Operation = { execute, subscribe: async () => ({ data: '{}' }) };
  const document = parse(text);
  const definition = document.definitions[0] as OperationDefinitionNode;
  return { execute, limited: limitLists(inner, document, definition, schema) };
}

/** A list whose elements must not be read. */
const unread = (length: number) =>
  new Proxy(new Array<unknown>(length), {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) throw new Error('An element was read');
      return Reflect.get(target, key, receiver) as unknown;
    },
  });

test.each<[string, Record<string, unknown>, string]>([
  ['query ($ids: [ID!]!) { byIds(ids: $ids) }', { ids: unread(4) }, 'ids must have at most 3 entries'],
  ['query ($input: Batch!) { load(input: $input) }', { input: { rows: unread(3) } }, 'rows must have at most 2 entries'],
  [
    'query ($b: Batch!) { load(input: $b) }',
    { b: { rows: [], next: { rows: unread(9) } } },
    'next.rows must have at most 2 entries',
  ],
  ['query ($rows: [Row!]!) { load(input: { next: { rows: $rows } }) }', { rows: unread(3) }, 'rows must have at most 2 entries'],
  ['query ($next: Batch!) { load(input: { next: $next }) }', { next: { rows: unread(3) } }, 'rows must have at most 2 entries'],
  [
    'query ($ids: [ID!]!) { ...A } fragment A on Query { ...B } fragment B on Query { byIds(ids: $ids) }',
    { ids: unread(4) },
    'ids must have at most 3 entries',
  ],
])('%s refuses a list that is too long without reading it', async (text, variables, message) => {
  const { execute, limited } = operation(text);
  const { errors } = await limited.execute(variables, context);
  expect(errors).toMatchObject([{ message, extensions: { code: 'INVALID_INPUT' } }]);
  expect(execute).not.toHaveBeenCalled();
});

test.each<[string, Record<string, unknown>]>([
  ['query ($ids: [ID!]!) { byIds(ids: $ids) }', { ids: ['1', '2', '3'] }],
  ['query ($ids: [ID!]!) { free(ids: $ids) }', { ids: Array.from({ length: 9 }, String) }],
  [
    'query One ($ids: [ID!]!) { free(ids: $ids) } query Two ($ids: [ID!]!) { ...B } fragment B on Query { byIds(ids: $ids) }',
    { ids: ['1', '2', '3', '4'] },
  ],
  ['query ($input: Batch!) { load(input: $input) }', { input: null }],
  ['query ($input: Batch!) { load(input: $input) }', { input: 'no object' }],
])('%s passes other values on', async (text, variables) => {
  const { execute, limited } = operation(text);
  expect(await limited.execute(variables, context)).toEqual({ data: '{}' });
  expect(execute).toHaveBeenCalledWith(variables, context);
});
