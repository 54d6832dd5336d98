import { Ajv2020 } from 'ajv/dist/2020.js';
import { buildSchema, parse } from 'graphql';
import { makeTools } from '../../rest-adapter/mcp/row-tool.ts';
import { table } from '../../rest-adapter/route.ts';
import { restTables } from '../../rest-adapter/routes/index.ts';
import { catalog } from '../../rest-adapter/surfaces.ts';
import idempotent from '../../schema/idempotent-operations.json' with { type: 'json' };
import { teachScalars } from '../../schema/scalars.ts';
import { allRoutes } from '../rest/all-routes.ts';
import { textOf } from '../structure/files.ts';

const schema = buildSchema(textOf('schema/api.graphql'));
teachScalars(schema);
const prepare = () => {
  throw new Error('Listing tools plans no operation');
};
const tools = [...makeTools({ tables: restTables, schema, prepare, idempotent }).values()];
const named = tools.map((tool) => ({ ...tool, tool }));

/** Anonymous endpoints for web pages and for the scheduler of the operator. */
const withoutTools = ['widget', 'cron'];

/** Tools of the graph without a documented endpoint. */
const withoutRows = /\/progress$|\/import-mappings\/|\/(brands|categories)\/(list$|\{)/;

test('every row is a tool, except those of the widget and the scheduler, and some tools have no row', () => {
  const rows = allRoutes
    .filter(({ surface }) => !withoutTools.includes(surface.name))
    .map(({ name, surface }) => [surface.name, name]);
  const ofTools = tools.map(({ route }) => [route.surface.name, route.name]);
  expect(ofTools.filter(([, name]) => !withoutRows.test(name!)).sort()).toEqual(rows.sort());
  expect(tools.filter(({ route }) => withoutRows.test(route.name)).map(({ name }) => name)).toEqual([
    ...['wait_for_job', 'propose_import_mapping', 'ask_import_mapping', 'import_with_mapping', 'create_product_import_job'],
    ...['list_import_mappings', 'save_import_mapping', 'delete_import_mapping'],
    ...[
      'list_brands',
      'get_brand_values',
      'rename_brand',
      'preview_brand_merge',
      'merge_brand',
      'update_brand_values',
      'delete_brand',
    ],
    ...['list_categories', 'get_category_values', 'rename_category', 'preview_category_merge', 'merge_category'],
    ...['update_category_values', 'delete_category'],
  ]);
});

test('the tools of saved mappings need the groups of the catalog, because they start no job', () => {
  const groupOf = (name: string) => tools.find((tool) => tool.name === name)?.group;
  expect(['list_import_mappings', 'save_import_mapping', 'delete_import_mapping'].map(groupOf)).toEqual([
    ...['catalog-read', 'catalog-write', 'catalog-write'],
  ]);
  expect(['propose_import_mapping', 'ask_import_mapping', 'import_with_mapping'].map(groupOf)).toEqual([
    ...['catalog-read', 'jobs', 'jobs'],
  ]);
});

test('names are verbs and nouns of the operations', () => {
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['create_brand', 'list_products', 'stop_ai_import_job', 'get_brand_enrichment_file']),
  );
});

test.each(named)(
  '$name has a name, a description and annotations of the documented form',
  ({ tool: { name, definition, route } }) => {
    expect(name).toMatch(/^[a-z][a-z_]{2,63}$/);
    expect(definition.title).toBe(route.row.summary);
    expect(definition.description!.length).toBeLessThan(1_000);
    const [operation] = parse(route.row.graphql).definitions;
    const isQuery = operation?.kind === 'OperationDefinition' && operation.operation === 'query';
    expect(definition.annotations?.readOnlyHint).toBe(isQuery || route.method === 'GET');
    if (route.method === 'DELETE') expect(definition.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
  },
);

test('clients ask before every tool but those that read, and see which ones only add something', () => {
  const writing = tools.filter(({ definition }) => definition.annotations?.readOnlyHint !== true);
  const names = (isDestructive: boolean) =>
    writing.flatMap(({ name, definition }) => (definition.annotations?.destructiveHint === isDestructive ? name : [])).sort();
  expect(names(false)).toEqual([
    ...[
      'ask_import_mapping',
      'create_agent',
      'create_ai_import_job',
      'create_brand',
      'create_category',
      'create_event_subscription',
      'create_file_sources',
    ],
    ...['create_lead', 'create_product', 'create_product_market_analysis_job', 'create_product_validation_job', 'create_products'],
    ...['create_secret', 'create_site_webhook', 'create_source', 'create_ticket', 'create_tool', 'create_webhook'],
    ...['import_with_mapping', 'replay_site_webhook_delivery', 'submit_site_form', 'test_site_webhook', 'upload_files'],
  ]);
  expect(names(true)).toEqual(
    expect.arrayContaining([
      ...['chat_with_agent', 'create_brand_enrichment_job', 'create_product_enrichment_job', 'create_product_import_job'],
      ...[
        'finalize_ai_import_job',
        'merge_brand',
        'rename_category',
        'rotate_site_webhook_secret',
        'stop_ai_import_job',
        'test_tool',
      ],
    ]),
  );
  expect(names(true).length + names(false).length).toBe(writing.length);
});

test.each(named)('$name accepts its example by its input schema', ({ tool: { definition, route } }) => {
  const { organization: _, ...params } = route.row.example.params ?? {};
  const { action: _action, ...body } = (route.row.example.body ?? {}) as Record<string, unknown>;
  const isNumber = (name: string) =>
    [definition.inputSchema.properties?.[name]].flat().some((each) => /integer|number/.test(JSON.stringify(each)));
  const query = Object.entries(route.row.example.query ?? {}).map(([name, text]) => [name, isNumber(name) ? Number(text) : text]);
  const file = { name: 'a.csv', type: route.row.files?.types[0], content: Buffer.from('SKU\nA-1\n').toString('base64') };
  const given = { ...params, ...Object.fromEntries(query), ...body, ...(route.row.files && { files: [file] }) };
  // `format` is documented, but not checked here.
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const check = ajv.compile(definition.inputSchema);
  expect([check(given), check.errors]).toEqual([true, null]);
  expect(Object.keys(given).filter((name) => !(name in definition.inputSchema.properties!))).toEqual(
    // The parameters of a tool of an agent are free JSON.
    route.path.endsWith('/tools/{toolId}/test') ? ['params'] : [],
  );
  ajv.compile(definition.outputSchema!);
  expect(definition.outputSchema!.type).toBe('object');
});

test('two rows with one name are reported', () => {
  const row = { summary: 'List webhooks', graphql: '{ webhooks { id } }', example: {} };
  const tables = [table(catalog, { 'GET /a': row, 'GET /b': row })];
  expect(() => makeTools({ tables, schema, prepare })).toThrow(
    'GET /api/{organization}/b and GET /api/{organization}/a are both the tool list_webhooks; set toolName',
  );
});

test('a row whose input has the name of an argument of every tool is reported', () => {
  const row = {
    summary: 'Search',
    graphql: 'query ($organization: String!) { products(search: $organization) { nodes { id } } }',
    example: {},
  };
  const tables = [table(catalog, { 'POST /search': row })];
  expect(() => makeTools({ tables, schema, prepare })).toThrow('tools reserve the argument organization');
});
