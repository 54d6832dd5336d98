import { buildSchema, type FieldNode, type GraphQLObjectType, Kind, type OperationDefinitionNode, parse } from 'graphql';
import pg from 'pg';
import type { Rows } from '../../platform/database/rows.ts';
import { parseTime } from '../../platform/database/rows.ts';
import { selectColumns } from '../../platform/lists/selected-columns.ts';

const schema = buildSchema(`
  type Query { things: ThingPage! }
  type ThingPage { nodes: [Thing!]! total: Int! }
  type Thing { id: ID! name: String sku: String price: Float parentName: String owner: String related: Thing }`);
// Fields with a resolver may read any column.
const thing = schema.getType('Thing') as GraphQLObjectType;
for (const field of ['parentName', 'related']) thing.getFields()[field]!.resolve = () => null;

interface Thing {
  id: string;
  organizationId: string;
  name: string;
  sku: string;
  price: number;
}

const rowsOf = () => ({ columns: ['id', 'organizationId', 'name', 'sku', 'price'], joined: { parentName: '(select 1)' } });

function select(text: string, rows = rowsOf()) {
  const document = parse(text);
  const operation = document.definitions.find((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)!;
  const fragments = Object.fromEntries(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  const fieldNodes = operation.selectionSet.selections as FieldNode[];
  const { type: returnType } = schema.getQueryType()!.getFields().things!;
  const { columns, joined = {} } = selectColumns(rows as Rows<Thing>, { fieldNodes, fragments, returnType });
  return [columns, Object.keys(joined)];
}

test('a page reads the columns that the operation selects, and those that identify a row', () => {
  expect(select('{ things { total nodes { __typename sku } } }')).toEqual([['id', 'organizationId', 'sku'], []]);
  expect(select('{ things { ...part nodes { name } } } fragment part on ThingPage { nodes { ... { price parentName } } }')).toEqual(
    [['id', 'organizationId', 'name', 'price'], ['parentName']],
  );
});

test('a page reads all columns if the operation selects a field with a resolver, or one that is no column', () => {
  const { columns, joined } = rowsOf();
  expect(select('{ things { nodes { sku related { id } } } }')).toEqual([columns, Object.keys(joined)]);
  expect(select('{ things { nodes { sku owner } } }')).toEqual([columns, Object.keys(joined)]);
});

test('the selections of callers make a bounded number of statements', () => {
  const rows = rowsOf();
  const names = ['name', 'sku', 'price', 'parentName', 'id'];
  const sets = Array.from({ length: 32 }, (_, bits) => ['__typename', ...names.filter((_name, at) => bits & (1 << at))].join(' '));
  const columns = new Set(sets.map((set) => JSON.stringify(select(`{ things { nodes { ${set} } } }`, rows)[0])));
  expect(columns.size).toBeLessThanOrEqual(17);
});

test('times are parsed as pg parses them', () => {
  const expected = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => unknown;
  for (const text of [
    '2026-11-22 18:00:01+00',
    '2026-11-22 18:00:01.5+00',
    '1999-12-31 23:59:59.999999+00',
    '2026-02-03 04:05:06.07+05:30',
    '0099-01-01 00:00:00+00',
    '0001-01-01 00:00:00+00 BC',
    '10000-01-01 00:00:00+00',
    'infinity',
  ])
    expect([text, parseTime(text)]).toEqual([text, expected(text)]);
});
