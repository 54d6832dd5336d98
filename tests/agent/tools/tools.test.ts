import { caller } from '../../support/client.ts';
import { seedOrganization } from '../../support/seed.ts';

const acme = await seedOrganization();
const other = await seedOrganization();
const admin = caller(acme.key);
const base = `/api/${acme.slug}/agents`;
const createAgent = async (name: string) => (await admin.post(base, { name })).body.data.agent.id as string;
const agentId = await createAgent('Zoe');
const path = `${base}/${agentId}/tools`;

const minimal = { name: 'order_status', description: 'Looks up an order.', endpointUrl: 'https://api.example.com/orders' };
let made = 0;
const fresh = (more: object = {}) => {
  made += 1;
  return { ...minimal, name: `tool_${made}`, ...more };
};
const create = (more: object = {}) => admin.post(path, fresh(more));
const createId = async (more: object = {}) => (await create(more)).body.data.tool.id as string;

describe('creating', () => {
  test('three fields are enough; the others have the documented defaults', async () => {
    const answer = await admin.post(path, minimal);
    expect(answer).toMatchObject({ status: 201, body: { success: true } });
    const { id, createdAt, updatedAt, ...tool } = answer.body.data.tool;
    expect(tool).toEqual({
      ...minimal,
      inputSchema: { type: 'object' },
      method: 'POST',
      headersTemplate: {},
      queryTemplate: {},
      bodyTemplate: null,
      responseMapping: { kind: 'raw', truncateChars: 8000 },
      enabled: true,
      timeoutMs: 5000,
      allowedDomains: ['api.example.com'],
    });
    expect(createdAt).toBe(updatedAt);
    expect((await admin.get(`${path}/${id}`)).body).toEqual(answer.body);
    const list = await admin.get(path);
    expect(list).toMatchObject({ status: 200, body: { success: true } });
    expect(list.body.data.tools).toContainEqual(answer.body.data.tool);
  });

  test('every field can be set', async () => {
    const settings = {
      inputSchema: { type: 'object', properties: { id: { type: 'string', pattern: '^\\d+$' } }, required: ['id'] },
      endpointUrl: 'https://{{params.region}}.example.com/{{params.id}}?key={{secret:KEY}}',
      method: 'PATCH',
      headersTemplate: { 'x-api-key': '{{ secret:KEY }}' },
      queryTemplate: { q: '{{params.q}}' },
      bodyTemplate: '{"id": {{params.id}}, "q": "{{params.q}}"}',
      responseMapping: { kind: 'jsonpath', path: '$.items[?@.n > 1]', truncateChars: 100 },
      enabled: false,
      timeoutMs: 30_000,
      allowedDomains: ['.example.com', 'EXAMPLE.com'],
    };
    const { status, body } = await create(settings);
    expect([status, body.data?.tool]).toMatchObject([201, { ...settings, allowedDomains: ['.example.com', 'example.com'] }]);
  });

  test('two tools of an agent cannot share a name, even created at once; other agents can use it', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => admin.post(path, { ...minimal, name: 'twice' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.message).toBe('A tool with the name twice already exists.');
    expect(await admin.post(`${base}/${await createAgent('Ben')}/tools`, { ...minimal, name: 'twice' })).toMatchObject({
      status: 201,
    });
  });

  test('a repeated Idempotency-Key creates one tool', async () => {
    const tool = fresh();
    const [first, second] = [
      await admin.post(path, tool, { 'idempotency-key': 'k1' }),
      await admin.post(path, tool, { 'idempotency-key': 'k1' }),
    ];
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
  });

  test('an agent has at most 100 tools', async () => {
    const full = `${base}/${await createAgent('Full')}/tools`;
    const answers = [];
    for (let round = 0; round < 10; round += 1)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => admin.post(full, fresh())))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    // The limit applies before the host is resolved.
    for (const more of [{}, { endpointUrl: 'https://localhost/tool' }])
      expect(await admin.post(full, fresh(more))).toMatchObject({
        status: 422,
        body: { message: 'An agent has at most 100 tools.' },
      });
  });
});

describe('bad input', () => {
  test.each([
    [{ name: 'Upper' }, 'name must match ^[a-z][a-z0-9_]*$'],
    [{ name: '1st' }, 'name must match'],
    [{ name: 'a'.repeat(65) }, 'name must be at most 64 characters'],
    [{ name: undefined }, 'name'],
    [{ description: '' }, 'description must not be empty'],
    [{ description: 'a\0' }, 'description'],
    [{ endpointUrl: 'ftp://example.com' }, 'endpointUrl must be an http or https URL'],
    [{ endpointUrl: '{{params.url}}' }, 'endpointUrl must be an http or https URL'],
    [
      { endpointUrl: 'https://user:pass@example.com' },
      'endpointUrl is refused: The address must not contain a user name or password.',
    ],
    [{ endpointUrl: 'http://127.0.0.1:1' }, 'endpointUrl is refused: The address is not on the public internet.'],
    [{ endpointUrl: 'http://api.default.svc/' }, 'endpointUrl is refused: The address is not on the public internet.'],
    [{ endpointUrl: 'http://0x7f.1/' }, 'endpointUrl is refused: The host of the address must be written in its usual form.'],
    [{ endpointUrl: 'http://[::1]/' }, 'endpointUrl is refused'],
    [{ endpointUrl: 'http://169.254.169.254/latest' }, 'endpointUrl is refused'],
    [{ endpointUrl: 'https://{{secret:HOST}}.example.com' }, 'endpointUrl must not have a secret in its host'],
    [
      { endpointUrl: 'https://{{params.host}}/' },
      'allowedDomains must not be empty, because the host of endpointUrl depends on a parameter',
    ],
    [{ endpointUrl: 'https://example.com/{{param.x}}' }, 'endpointUrl has the unknown placeholder {{param.x}}'],
    [{ method: 'TRACE' }, 'method'],
    [{ headersTemplate: { host: 'evil' } }, 'headersTemplate must not set the header host'],
    [{ headersTemplate: { 'a b': 'x' } }, 'headersTemplate must not have the header name "a b"'],
    [{ headersTemplate: { a: 'x\r\nb: y' } }, 'headersTemplate.a must not have line breaks'],
    [{ headersTemplate: { a: 'Größe – neu' } }, 'headersTemplate.a must have only characters of Latin-1'],
    [{ headersTemplate: { a: { b: 1 } } }, 'headersTemplate.a must be text'],
    [{ headersTemplate: { a: '{{secret:lower}}' } }, 'headersTemplate.a has the unknown placeholder {{secret:lower}}'],
    [{ headersTemplate: ['a'] }, 'headersTemplate'],
    [{ queryTemplate: { a: 'x'.repeat(8_193) } }, 'queryTemplate.a must be at most 8192 characters'],
    [
      { bodyTemplate: '{"a": {{params.a}', headersTemplate: { 'Content-Type': 'application/json' } },
      'bodyTemplate must be JSON when its placeholders are filled in',
    ],
    [{ bodyTemplate: 'x'.repeat(100_001) }, 'bodyTemplate must be at most 100000 characters'],
    [{ bodyTemplate: '{{params.a}}'.repeat(101) }, 'bodyTemplate must have at most 100 placeholders'],
    [{ responseMapping: { kind: 'xml' } }, 'kind'],
    [{ responseMapping: { kind: 'jsonpath' } }, 'responseMapping.path is required with the kind jsonpath'],
    [{ responseMapping: { kind: 'jsonpath', path: 'a.b' } }, 'responseMapping.path is no JSONPath'],
    [{ responseMapping: { kind: 'raw', truncateChars: 0 } }, 'responseMapping.truncateChars must be at least 1'],
    [{ timeoutMs: 499 }, 'timeoutMs must be at least 500'],
    [{ timeoutMs: 30_001 }, 'timeoutMs must be at most 30000'],
    [{ allowedDomains: ['https://example.com'] }, 'allowedDomains[0] must be a host'],
    [{ allowedDomains: ['*.example.com'] }, 'allowedDomains must include the host of endpointUrl'],
    [{ allowedDomains: ['example.com'] }, 'allowedDomains must include the host of endpointUrl, api.example.com'],
  ])('%j is rejected', async (more, message) => {
    const { status, body } = await create(more);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test.each([
    [{ type: 'array' }, 'inputSchema must have the type object'],
    [{ type: 'object', properties: { a: { type: 'strin' } } }, 'inputSchema is no valid JSON Schema'],
    [{ type: 'object', required: 'a' }, 'inputSchema is no valid JSON Schema'],
    [{ properties: { a: { pattern: '(?=a)b' } } }, 'inputSchema cannot be used'],
    [{ properties: { a: { pattern: '(a)\\1' } } }, 'inputSchema cannot be used'],
    [{ properties: { a: { $ref: 'https://example.com/other.json' } } }, 'inputSchema cannot be used'],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'inputSchema must be of JSON Schema 2020-12'],
    [{ description: 'x'.repeat(32_001) }, 'inputSchema must be at most 32000 characters of JSON'],
    [nested(20), 'inputSchema must be nested at most 32 levels deep'],
    ['text', 'inputSchema'],
    ...[
      { $ref: '#' },
      { allOf: [{ anyOf: [{ not: { $ref: '#' } }] }] },
      { properties: { a: { $ref: '#/properties/a' } } },
      { properties: { default: { $ref: '#/properties/default' } } },
      { $defs: { 'a/b': { $ref: '#/$defs/c' }, c: { if: { $ref: '#/$defs/a~1b' } } } },
      { $defs: { a: { $anchor: 'one', oneOf: [{ $ref: '#one' }] } } },
      { $defs: { a: { $id: 'https://x.example/a', else: { $ref: '/a' } } } },
      { $dynamicAnchor: 'node', dependentSchemas: { a: { $dynamicRef: '#node' } } },
    ].map((schema) => [schema, 'inputSchema has a reference that leads back to itself']),
  ] as [unknown, string][])('the schema %j is rejected', async (inputSchema, message) => {
    const { status, body } = await create({ inputSchema });
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('a schema of 2020-12 with its own keywords is accepted', async () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { tree: { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } } },
      additionalProperties: { $ref: '#' },
      properties: { tree: { $ref: '#/$defs/tree' }, mail: { type: 'string', format: 'email', example: 'a@b.c' } },
      prefixItems: [],
      unevaluatedProperties: false,
    };
    const { prefixItems: _, ...valid } = inputSchema;
    expect(await create({ inputSchema: valid })).toMatchObject({ status: 201 });
  });
});

function nested(levels: number): object {
  return levels === 0 ? {} : { properties: { a: nested(levels - 1) } };
}

describe('changing', () => {
  test('absent fields stay, and null restores the default', async () => {
    const id = await createId({ method: 'GET', timeoutMs: 700, allowedDomains: ['api.example.com', 'b.example.com'] });
    const changed = await admin.send('PATCH', `${path}/${id}`, { description: 'Other.', timeoutMs: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { tool: { description: 'Other.', timeoutMs: 5000, method: 'GET' } } },
    });
    expect(changed.body.data.tool.allowedDomains).toEqual(['api.example.com', 'b.example.com']);
    const reset = await admin.send('PATCH', `${path}/${id}`, { allowedDomains: null, endpointUrl: 'https://c.example.com' });
    expect(reset.body.data.tool.allowedDomains).toEqual(['c.example.com']);
  });

  test('maps are replaced as a whole', async () => {
    const id = await createId({ headersTemplate: { a: '1', b: '2' }, inputSchema: { type: 'object', properties: { a: {} } } });
    const change = { headersTemplate: { c: '3' }, inputSchema: { type: 'object', required: ['x'] } };
    expect((await admin.send('PATCH', `${path}/${id}`, change)).body.data.tool).toMatchObject(change);
    expect((await admin.get(`${path}/${id}`)).body.data.tool).toMatchObject({ headersTemplate: { c: '3' } });
    expect((await admin.get(`${path}/${id}`)).body.data.tool.headersTemplate).toEqual({ c: '3' });
  });

  test('a change that does not fit the other fields is rejected, and changes nothing', async () => {
    const id = await createId({ allowedDomains: ['api.example.com'] });
    const answer = await admin.send('PATCH', `${path}/${id}`, { endpointUrl: 'https://elsewhere.example.org', description: 'x' });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.body.message).toContain('allowedDomains must include the host of endpointUrl, elsewhere.example.org');
    expect((await admin.get(`${path}/${id}`)).body.data.tool).toMatchObject({ description: minimal.description });
    const { name } = fresh();
    await admin.post(path, { ...minimal, name });
    expect(await admin.send('PATCH', `${path}/${id}`, { name })).toMatchObject({ status: 409 });
    expect(await admin.send('PATCH', `${path}/${id}`, { name: null })).toMatchObject({ status: 400 });
  });

  test('a deleted tool is gone', async () => {
    const id = await createId();
    expect(await admin.send('DELETE', `${path}/${id}`)).toMatchObject({
      status: 200,
      body: { success: true, data: { id, deleted: true } },
    });
    const gone = { status: 404, body: { success: false, message: 'Tool not found' } };
    expect(await admin.send('DELETE', `${path}/${id}`)).toMatchObject(gone);
    expect(await admin.get(`${path}/${id}`)).toMatchObject(gone);
  });
});

test('GraphQL lists the tools of many agents in one operation', async () => {
  const [some, none] = [await createAgent('Some'), await createAgent('None')];
  await admin.post(`${base}/${some}/tools`, { ...minimal, name: 'b' });
  await admin.post(`${base}/${some}/tools`, { ...minimal, name: 'a' });
  const { agents } = await admin.graphql('{ agents { id tools { name allowedDomains } } }');
  const toolsOf = (id: string) => agents.find((each: { id: string }) => each.id === id).tools;
  expect(toolsOf(some)).toEqual([
    { name: 'a', allowedDomains: ['api.example.com'] },
    { name: 'b', allowedDomains: ['api.example.com'] },
  ]);
  expect(toolsOf(none)).toEqual([]);
});

test('tools of other agents and organizations are not found, and members have no access', async () => {
  const id = await createId();
  const elsewhere = `${base}/${await createAgent('Elsewhere')}/tools`;
  const stranger = caller(other.key);
  const calls = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
  ] as const;
  const member = caller((await acme.addMember('member')).key);
  for (const [method, end] of calls) {
    const body = ['PATCH', 'POST'].includes(method) ? {} : undefined;
    expect(await admin.send(method, `${elsewhere}/${id}${end}`, body)).toMatchObject({
      status: 404,
      body: { message: 'Tool not found' },
    });
    expect(await admin.send(method, `${path}/no-id${end}`, body)).toMatchObject({
      status: 404,
      body: { message: 'Tool not found' },
    });
    expect(await stranger.send(method, `/api/${other.slug}/agents/${agentId}/tools/${id}${end}`, body)).toMatchObject({
      status: 404,
      body: { message: 'Agent not found' },
    });
    expect(await member.send(method, `${path}/${id}${end}`, body)).toMatchObject({ status: 403 });
  }
  expect(await stranger.get(`/api/${other.slug}/agents/${agentId}/tools`)).toMatchObject({ status: 404 });
  expect(await stranger.post(`/api/${other.slug}/agents/${agentId}/tools`, minimal)).toMatchObject({ status: 404 });
});
