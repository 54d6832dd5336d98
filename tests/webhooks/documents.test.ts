import { Ajv2020 } from 'ajv/dist/2020.js';
import { textOf } from '../structure/files.ts';

const document = JSON.parse(textOf('schema/openapi.json'));
const operation = document.paths['/api/{organization}/webhooks'].post;
const { schema, examples } = operation.requestBody.content['application/json'];

const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, uri: true } });
const valid = ajv.compile({ ...schema, components: document.components });

test('the four actions are one operation, and each example is a body of exactly one of them', () => {
  expect(Object.keys(examples)).toEqual(['list', 'create', 'update', 'delete']);
  for (const { value } of Object.values<{ value: unknown }>(examples)) expect([value, valid(value)]).toEqual([value, true]);
});

test('a body without an action, or with another, is not documented', () => {
  for (const action of [undefined, null, 'remove']) expect(valid({ ...examples.create.value, action })).toBe(false);
});

test('the failures of all actions are documented', () => {
  const failures = Object.entries<{ content: Record<string, { examples?: object }> }>(operation.responses).map(
    ([status, { content }]) => [status, Object.keys(content['application/json']?.examples ?? {})],
  );
  expect(Object.fromEntries(failures)).toMatchObject({
    400: ['INVALID_INPUT', 'LIMIT_REACHED'],
    404: ['NOT_FOUND'],
    500: ['INTERNAL_SERVER_ERROR'],
  });
});

test('other methods get the allowed one', async () => {
  const response = await fetch(`${process.env.TEST_URL}/api/acme/webhooks`, { method: 'OPTIONS' });
  expect(response.headers.get('allow')).toBe('POST');
});
