import { objectOf, pairsOf, readCurl, readOpenApi, rowsOf, schemaOf } from '../../web/dashboard/src/agents/request-import.ts';

test('a cURL command becomes a request whose values are parameters, without its secrets', () => {
  const command = `curl -X POST 'https://api.example.com/v1/orders/cancel?shop=7' \\
    -H 'Authorization: Bearer sk-very-secret' -H "X-Api-Key: k-very-secret" -H 'Accept: application/json' -A agent/1 \\
    --data-raw '{"orderNumber": "B-1", "items": 2, "force": true}'`;
  const request = readCurl(command)!;
  expect(request).toEqual({
    name: 'cancel',
    description: '',
    method: 'POST',
    endpointUrl: 'https://api.example.com/v1/orders/cancel',
    parameters: [
      { name: 'shop', type: 'string', description: 'Such as 7', required: true },
      { name: 'orderNumber', type: 'string', description: 'Such as B-1', required: true },
      { name: 'items', type: 'number', description: 'Such as 2', required: true },
      { name: 'force', type: 'boolean', description: 'Such as true', required: true },
    ],
    headers: {
      Authorization: 'Bearer {{secret:API_KEY}}',
      'X-Api-Key': '{{secret:X_API_KEY}}',
      Accept: 'application/json',
    },
    secrets: ['API_KEY', 'X_API_KEY'],
    query: { shop: '{{params.shop}}' },
    body: '{ "orderNumber": "{{params.orderNumber}}", "items": {{params.items}}, "force": {{params.force}} }',
  });
  expect(JSON.stringify(request)).not.toContain('very-secret');
});

test.each<[string, object | undefined]>([
  ['curl example.com/stock', { method: 'GET', endpointUrl: 'https://example.com/stock', name: 'stock' }],
  [
    "curl -G https://e.org/find -d 'q=a b' --data-urlencode n=2",
    { method: 'GET', query: { q: '{{params.q}}', n: '{{params.n}}' }, body: '' },
  ],
  [
    '/usr/bin/curl -XDELETE -Hx:y "https://e.org/a b/{{params.id}}"',
    { method: 'DELETE', headers: { x: 'y' }, endpointUrl: 'https://e.org/a b/{{params.id}}' },
  ],
  [
    "curl -u me:pw --json '[1]' https://e.org",
    { method: 'POST', body: '[1]', headers: { authorization: 'Basic {{secret:API_KEY}}', 'content-type': 'application/json' } },
  ],
  ['curl', undefined],
  ['wget https://e.org', undefined],
  ['curl "https://e.org', undefined],
  ['curl http://', undefined],
  ['', undefined],
])('%s is read as a shell would', (command, expected) => {
  if (expected) expect(readCurl(command)).toMatchObject(expected);
  else expect(readCurl(command)).toBe(undefined);
});

test('an operation of an OpenAPI document becomes a request, with its references', () => {
  const document = {
    openapi: '3.1.0',
    servers: [{ url: 'https://shop.example.com/api/' }],
    paths: {
      '/orders/{order-id}': {
        parameters: [{ $ref: '#/components/parameters/Order' }],
        get: {
          operationId: 'getOrder',
          summary: 'Find an order',
          parameters: [{ name: 'lines', in: 'query', schema: { type: 'boolean' } }],
        },
        put: {
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Change' } } } },
          parameters: [{ name: 'x-api-key', in: 'header', required: true, schema: { type: 'string' } }],
        },
      },
    },
    components: {
      parameters: {
        Order: { name: 'order-id', in: 'path', required: true, description: 'Its number.', schema: { type: 'string' } },
      },
      schemas: {
        Change: {
          type: 'object',
          required: ['note'],
          properties: { note: { type: 'string' }, count: { type: 'integer' }, deep: { type: 'object' } },
        },
      },
    },
  };
  const [get, put] = readOpenApi(JSON.stringify(document))!;
  expect(get).toEqual({
    label: 'GET /orders/{order-id}',
    request: {
      name: 'get_order',
      description: 'Find an order',
      method: 'GET',
      endpointUrl: 'https://shop.example.com/api/orders/{{params.order-id}}',
      parameters: [
        { name: 'order-id', type: 'string', description: 'Its number.', required: true },
        { name: 'lines', type: 'boolean', description: '', required: false },
      ],
      headers: {},
      secrets: [],
      query: { lines: '{{params.lines}}' },
      body: '',
    },
  });
  expect(put!.request).toMatchObject({
    name: 'put_orders_order_id',
    headers: { 'x-api-key': '{{secret:X_API_KEY}}' },
    secrets: ['X_API_KEY'],
    body: '{ "note": "{{params.note}}", "count": {{params.count}} }',
  });
  expect(put!.request.parameters.map(({ name, required }) => [name, required])).toEqual([
    ['order-id', true],
    ['note', true],
    ['count', false],
  ]);
  for (const text of ['{}', '[]', 'curl', '{"paths": 7}']) expect(readOpenApi(text)).toBe(undefined);
  expect(readOpenApi('{"paths": {"/a": {"get": {"parameters": [{"$ref": "#/paths/~1a"}, 7]}, "post": null}}}')).toHaveLength(2);
});

test('rows show a schema of plain parameters and give the same one back', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', description: 'A.' }, b: { type: 'integer' } },
    required: ['a'],
  };
  expect(schemaOf(rowsOf(schema)!)).toEqual(schema);
  for (const [key, value] of Object.entries({
    additionalProperties: false,
    properties: { a: { type: 'string', enum: ['x'] } },
    type: 'array',
  }))
    expect(rowsOf({ ...schema, [key]: value })).toBe(undefined);
  for (const text of ['null', '7', '[]', '{']) expect(objectOf(text)).toBe(undefined);
  expect([objectOf(' '), objectOf('{"a": 1}')]).toEqual([null, { a: 1 }]);
  expect(pairsOf({ a: 'b' })).toEqual([{ name: 'a', value: 'b' }]);
  expect(pairsOf({ a: 7 })).toBe(undefined);
});
