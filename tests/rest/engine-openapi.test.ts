import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../rest-adapter/openapi/document.ts';
import { face, schema, tables } from './engine-face.ts';

const publicUrl = 'https://api.example';
const main = openApiDocument({ tables, schema, listener: 'main', version: '1.2.3', publicUrl, idempotent: ['create'] });
const site = openApiDocument({ tables, schema, listener: 'site', version: '1.2.3' });

/** The value at a path of the document; spaces separate keys. */
const at = (node: unknown, place: string): unknown =>
  place.split(' ').reduce((found, key) => (found as Record<string, unknown> | undefined)?.[key], node);
const operation = (document: typeof main, verb: string, path: string) => document.paths[path]?.[verb];
const post = (path: string) => operation(main, 'post', `/api/{organization}${path}`);
const body = 'requestBody content application/json';
const answer = (status: number) => `responses ${status} content application/json`;

test('the document has title and server URL', () => {
  expect(main).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: 'https://api.example' }] });
  expect(main.tags).toEqual(
    ['Catalog', 'Organizations', 'Agent administration', 'Widget', 'Integration'].map((name) => expect.objectContaining({ name })),
  );
  expect(site.servers).toEqual([{ url: '/' }]);
});

test('each listener documents its own APIs', () => {
  expect(Object.keys(site.paths)).toEqual(['/api/v1/me', '/api/v1/sites', '/api/v1/refuse']);
  expect(Object.keys(main.paths)).toContain('/api/{organization}/agents/{agentId}');
  expect(site.components.securitySchemes).toEqual({ bearer: expect.objectContaining({ scheme: 'bearer' }) });
});

test('operation ids are unique words', () => {
  const ids = Object.values(main.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  expect(ids.slice(0, 3)).toEqual(['getEcho', 'create', 'stop']);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-zA-Z0-9]+$/.test(String(id)))).toEqual([]);
});

test('every reference resolves', () => {
  for (const document of [main, site]) {
    for (const [, path = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect([path, at(document, path.replaceAll('/', ' '))]).toEqual([path, expect.anything()]);
    }
  }
});

test('variables of the body become properties with descriptions, defaults, constraints and enums', () => {
  const get = post('/products/get');
  expect(at(get, 'requestBody required')).toBe(false);
  expect(at(get, `${body} example`)).toEqual({ page: 2, limit: 5, model: 'budget-v1', sort: 'name-asc' });
  expect(at(get, `${body} schema required`)).toBeUndefined();
  expect(at(get, `${body} schema properties`)).toMatchObject({
    page: { type: 'integer', minimum: 1, default: 1 },
    limit: { type: 'integer', description: 'How many.', default: 20 },
    search: { type: ['string', 'null'] },
    ids: { type: ['array', 'null'], items: { type: 'string' } },
    model: { enum: ['budget-v1', 'pro-v1', null] },
    sort: { enum: ['name-asc', 'name-desc', 'type-asc', 'type-desc', null], description: 'The sort order of imported items.' },
    item: { anyOf: [{ $ref: '#/components/schemas/NewItem' }, { type: 'null' }] },
  });
});

test('an input type is a component, and may be recursive', () => {
  const create = post('/products/create');
  expect(at(create, 'requestBody required')).toBe(true);
  expect(at(create, `${body} schema`)).toEqual({ $ref: '#/components/schemas/NewItem' });
  expect(main.components.schemas?.NewItem).toEqual({
    type: 'object',
    description: 'A new item.',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 8, description: 'The name.' },
      color: { type: 'string', enum: ['red', 'green'], default: 'red' },
      children: { type: ['array', 'null'], items: { $ref: '#/components/schemas/NewItem' } },
      data: {},
      ids: { type: ['array', 'null'], items: { type: 'string' }, minItems: 1, maxItems: 3 },
    },
  });
});

test('parameters are in path and query, and each API has its organization parameter', () => {
  const stop = post('/jobs/{job_id}/stop');
  expect(stop?.parameters).toMatchObject([
    { name: 'organization', in: 'path', required: true },
    { name: 'job_id', in: 'path', required: true, schema: { type: 'string' }, example: '7' },
  ]);
  expect(stop?.requestBody).toBeUndefined();
  const leads = operation(main, 'get', '/api/v1/leads')?.parameters as unknown[];
  expect(leads).toContainEqual({
    name: 'limit',
    in: 'query',
    required: false,
    description: 'How many.',
    schema: { type: 'integer', default: 10 },
    example: 20,
  });
  expect(leads.at(-1)).toMatchObject({ name: 'organization', in: 'query', required: false });
  expect(at(post('/jobs/{job_id}/echo'), 'parameters 2')).toMatchObject({ name: 'search', in: 'query', example: 'x' });
});

test('a response is the selection in its envelope', () => {
  expect(at(post('/jobs/{job_id}/stop'), `${answer(200)} schema`)).toEqual({
    type: 'object',
    properties: {
      success: { const: true },
      message: { const: 'Job stopped' },
      data: { $ref: '#/components/schemas/StopResult' },
    },
    required: ['success', 'message', 'data'],
  });
  expect(main.components.schemas?.StopResult).toEqual({
    type: 'object',
    properties: { jobId: { type: 'string' }, name: { type: ['string', 'null'] } },
    required: ['jobId', 'name'],
  });
  expect(at(operation(site, 'get', '/api/v1/sites'), `${answer(200)} schema`)).toEqual({
    $ref: '#/components/schemas/GetItemsResult',
  });
  expect(site.components.schemas).toMatchObject({
    GetItemsResult: {
      properties: { ok: { const: true }, data: { type: 'array', items: { $ref: '#/components/schemas/Item' } } },
      required: ['ok', 'data', 'meta'],
    },
    Item: { properties: { color: { enum: ['red', 'green', null] }, tags: { type: ['array', 'null'] } } },
  });
});

test('a field that is omitted when null is optional and not nullable', () => {
  const item = { $ref: '#/components/schemas/Item' };
  expect(main.components.schemas?.GetItemsResult).toMatchObject({ properties: { items: { type: 'array', items: item } } });
  expect(main.components.schemas?.Item).toMatchObject({ required: ['id', 'name'] });
});

test('every failure is documented with its status, shape and message', () => {
  const create = post('/products/create');
  expect(Object.keys(create?.responses ?? {})).toEqual(['201', '400', '401', '402', '403', '409', '422', '429', '500', '503']);
  expect(at(create, `${answer(409)} examples`)).toEqual({ CONFLICT: { value: { success: false, message: 'It is there.' } } });
  expect(at(create, `${answer(403)} examples NO_ACCESS value message`)).toBe('Invalid API Key');
  expect(at(create, `${answer(400)} examples INVALID_INPUT value message`)).toMatch(/^Invalid request body: /);
  expect(at(create, `${answer(400)} schema`)).toEqual({ $ref: '#/components/schemas/CatalogFailure' });
  expect(at(create, 'responses 429 headers')).toHaveProperty('Retry-After');
  expect(at(create, 'responses 201 headers')).toHaveProperty('X-RateLimit-Reset');
  expect(main.components.schemas?.IntegrationFailure).toEqual({
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'status'],
        properties: { message: { type: 'string' }, status: { type: 'integer' } },
      },
    },
  });
});

test('a route without plan requirement omits it, and a public one has no key', () => {
  expect(operation(main, 'get', '/api/v1/leads')?.responses).toHaveProperty('402');
  expect(operation(main, 'get', '/api/v1/me')?.responses).not.toHaveProperty('402');
  expect(operation(main, 'get', '/api/v1/me')?.security).toEqual([{ apiKey: [] }, { bearer: [] }]);
  expect(operation(main, 'get', '/api/agents/{publicSlug}/config')?.security).toEqual([]);
});

test('every example of a body is valid against its own schema', () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true });
  ajv.addSchema({ ...main, $id: 'https://api.example/openapi.json' });
  for (const each of Object.values(main.paths).flatMap((path) => Object.values(path))) {
    const example = at(each, `${body} example`);
    if (example === undefined) continue;
    const own = JSON.stringify(at(each, `${body} schema`)).replaceAll('"#/', '"https://api.example/openapi.json#/');
    const check = ajv.compile(JSON.parse(own));
    expect([check(example), check.errors, example]).toEqual([true, null, example]);
  }
});

test.each(['main', 'site'] as const)(
  'the %s listener serves its document and a page that loads nothing from elsewhere',
  async (listener) => {
    await using server = await face({ listener });
    const document = await server.inject('/openapi.json');
    expect(document.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(document.json().paths).toEqual(openApiDocument({ tables, schema, listener, version: '1.2.3' }).paths);

    const page = await server.inject('/docs/');
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'/);
    expect(page.body.match(/(src|href)="[^"]*"/g)).toEqual(['src="js/scalar.js"']);
    expect((await server.inject('/docs/js/scalar.js')).statusCode).toBe(200);
    expect((await server.inject('/docs')).headers.location).toBe('/docs/');
  },
);
