import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { buildSchema } from 'graphql';
import { makeTools, type ServedTool } from '../../rest-adapter/mcp/row-tool.ts';
import { restTables } from '../../rest-adapter/routes/index.ts';
import idempotent from '../../schema/idempotent-operations.json' with { type: 'json' };
import { teachScalars } from '../../schema/scalars.ts';
import { allRoutes, urlOf } from '../rest/all-routes.ts';
import { textOf } from '../structure/files.ts';
import { until } from '../support/until.ts';
import { connect, seedTools } from './mcp.ts';

const schema = buildSchema(textOf('schema/api.graphql'));
teachScalars(schema);
const prepare = () => {
  throw new Error('Listing tools plans no operation');
};
const tools = [...makeTools({ tables: restTables, schema, prepare, idempotent }).values()];
const documented = new Set(allRoutes.map(({ row }) => row));
/** Some tools have no path in REST. Streams, files and forms have another result than REST. */
const comparable = tools.filter(({ route: { row } }) => documented.has(row) && !row.stream && !row.files && row.reply !== 'file');

const [overRest, overMcp] = await Promise.all([seedTools(), seedTools()]);
const { call, list, client } = await connect(overMcp.key);
const listed = await list();
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** The same for both organizations: generated ids, times and names are replaced. */
const general = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/org-[0-9a-f]{12}/g, 'ORGANIZATION')
      .replaceAll(/whsec_[\w+/=]+/g, 'SECRET')
      .replaceAll(/User ID|User [0-9a-f]{8}/g, 'USER')
      .replaceAll(/(support-desk)-[0-9a-f]{16}/g, '$1-SUFFIX'),
  );

async function askRest({ route }: ServedTool, { query, body }: Request, params: Record<string, string>) {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'organization' ? overRest.slug : params[name]!));
  const response = await fetch(`${urlOf(route)}${path}?${new URLSearchParams(query)}`, {
    method: route.method,
    headers: { authorization: `Bearer ${overRest.key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

interface Request {
  query: Record<string, string>;
  body: Record<string, unknown> | undefined;
}

const typed = ({ definition }: ServedTool, [name, text]: [string, string]) =>
  /integer|number/.test(JSON.stringify((definition.inputSchema.properties?.[name] as { type?: unknown })?.type))
    ? Number(text)
    : text;

async function expectEqual(tool: ServedTool, request: Request, params: Record<string, string>) {
  const { action: _, ...body } = request.body ?? {};
  const query = Object.entries(request.query).map((each) => [each[0], typed(tool, each)]);
  const { organization: _organization, ...path } = params;
  const ask = async () => {
    const rest = await askRest(tool, request, params);
    const result = await call(tool.name, { ...path, ...Object.fromEntries(query), ...body });
    const expected = rest.status < 400 ? rest.body : { status: rest.status, code: result.body.code, body: rest.body };
    return { rest, result, isEqual: isDeepStrictEqual(general(result.body), general(expected)), expected };
  };
  let answers = await ask();
  // The jobs of both organizations run at their own pace, and end in the same state.
  if (tool.definition.annotations?.readOnlyHint && !answers.isEqual) {
    await until(async () => {
      answers = await ask();
      return answers.isEqual;
    });
  }
  const { rest, result, expected } = answers;
  expect({ isError: result.isError, body: general(result.body) }).toEqual({ isError: rest.status >= 400, body: general(expected) });
  const check = ajv.compile(listed.find(({ name }) => name === tool.name)!.outputSchema!);
  if (rest.status < 400) expect([JSON.parse(result.text), check(result.body), check.errors]).toEqual([result.body, true, null]);
  else expect(result.text).toBe(`${rest.status} ${result.body.code}: ${rest.body.message ?? rest.body.error.message}`);
}

const requestOf = ({ route: { row } }: ServedTool): Request => ({
  query: row.example.query ?? {},
  body: row.example.body as Request['body'],
});

test('the key may list every tool', () => {
  expect(listed.map(({ name }) => name).sort()).toEqual(tools.map(({ name }) => name).sort());
});

test.each(comparable.map((tool) => ({ name: tool.name, tool })))('$name answers its example as REST does', ({ tool }) =>
  expectEqual(tool, requestOf(tool), tool.route.row.example.params ?? {}),
);

/** Wrong values for the fields of a body. */
const wrong: Record<string, unknown>[] = [
  { name: 5, sku: '' },
  { name: null },
  { name: 'a\0b', sku: 'A' },
  { limit: 0, page: -1 },
  { limit: 'many' },
  { email: 'not an address', agentId: 'none' },
  { since: 'never', limit: 5000 },
  JSON.parse('{"__proto__": {"name": "x"}, "constructor": 1}'),
  {},
];

test.each(comparable.map((tool) => ({ name: tool.name, tool })))('$name answers wrong input as REST does', async ({ tool }) => {
  for (const body of wrong) {
    const { action } = (tool.route.row.example.body ?? {}) as { action?: string };
    const sent = { ...body, ...(action && { action }) };
    // Wrong values in a query string are text, and text is right for some types.
    if (tool.route.method === 'GET' || tool.route.method === 'DELETE') continue;
    await expectEqual(tool, { query: {}, body: sent }, tool.route.row.example.params ?? {});
  }
});

test('the official client validates the results of a whole life of a product', async () => {
  const { body } = await call('create_product', { sku: 'MCP-1', name: 'Drill', userProvidedRawDataSources: ['18 V'] });
  const product_id = body.data.id;
  expect((await call('get_product', { product_id })).body).toMatchObject({ success: true, data: { sku: 'MCP-1', mpn: null } });
  expect((await call('update_product', { product_id, sku: 'MCP-1', name: 'Cordless drill' })).body.data.name).toBe(
    'Cordless drill',
  );
  expect((await call('list_products', { search: 'MCP-1' })).body.data.products).toHaveLength(1);
  expect((await call('delete_product', { product_id })).body.data).toEqual({ id: product_id, deleted: true });
  expect(await call('get_product', { product_id })).toMatchObject({ isError: true, text: '404 NOT_FOUND: Product not found' });
});

test('an idempotency key is an argument of tools that create', async () => {
  const given = { name: 'Once', idempotency_key: 'k-1' };
  const [first, again, other] = [
    await call('create_agent', given),
    await call('create_agent', given),
    await call('create_agent', { ...given, name: 'Twice' }),
  ];
  expect(again.body).toEqual(first.body);
  expect(other).toMatchObject({ isError: true, body: { status: 422 } });
});

test('a file is an argument in base64, and a download is read page by page', async () => {
  const file = { name: 'products.csv', type: 'text/csv', content: Buffer.from('SKU,Name\nA-1,Lamp\n').toString('base64') };
  const { body } = await call('upload_files', { files: [file] });
  expect(body).toMatchObject({ success: true, uploadedFileIds: [expect.any(String)] });
  const inUmlauts = { ...file, name: 'Preisliste\u0084Öl\u0093.csv' };
  expect((await call('upload_files', { files: [inUmlauts] })).body).toMatchObject({ success: true });
  const texts = [
    { files: [] },
    { files: [{ ...file, content: 'not base64!' }] },
    { files: [{ ...file, type: 'text/html' }] },
    { files: [{ ...file, name: 'a\0' }] },
    { files: Array(21).fill(file) },
    { files: 'x' },
    {},
  ];
  for (const given of texts) expect((await call('upload_files', given)).text).toMatch(/^400 INVALID_INPUT: Invalid request body: /);

  const rows = [{ name: 'Norrvik' }];
  const made = await call('create_brand_enrichment_job', {
    rows,
    inputColumns: ['name'],
    fileName: 'b.csv',
    modelType: 'budget-v1',
  });
  const job_id = made.body.data.jobId;
  await call('wait_for_job', { job_id });
  const page = await call('get_brand_enrichment_file', { job_id });
  expect(page.body).toMatchObject({
    name: expect.stringMatching(/\.csv$/),
    columns: expect.arrayContaining(['name']),
    rows: [expect.any(Array)],
  });
  expect((await call('get_brand_enrichment_file', { job_id, after: 'nonsense' })).isError).toBe(true);
});

test('a ping is answered', async () => {
  expect(await client.ping()).toEqual({});
});
