import { randomUUID } from 'node:crypto';
import { sweepCalls } from '../../subgraphs/agent/tool-calls/retention.ts';
import { callableTools } from '../../subgraphs/agent/tools/callable.ts';
import { caller } from '../support/client.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { startProcess } from '../support/processes.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { until } from '../support/until.ts';
import type { CallArguments } from './calling-process.ts';
import { openInProcess } from './in-process.ts';
import { startToolReceiver } from './receiver.ts';

const SECRET = 's3cr3t/välue+"1"';
const acme = await seedOrganization();
const receiver = await startToolReceiver();
const own = await openInProcess();
let gateway: Gateway;
let admin: ReturnType<typeof caller>;
let agentId: string;
let path: string;
let made = 0;

beforeAll(async () => {
  gateway = await startGateway({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1,localhost' });
  admin = caller(acme.key, { url: gateway.url });
  const base = `/api/${acme.slug}/agents`;
  agentId = (await admin.post(base, { name: 'Zoe' })).body.data.agent.id;
  path = `${base}/${agentId}`;
  expect(await admin.post(`${path}/secrets`, { name: 'TOKEN', value: SECRET })).toMatchObject({ status: 201 });
}, 60_000);
afterAll(async () => {
  await own.close();
  await gateway.stop();
  await receiver.close();
});
afterEach(() => receiver.replyWith());

async function createTool(settings: object) {
  made += 1;
  const name = `tool_${made}`;
  const answer = await admin.post(`${path}/tools`, { name, description: 'Does it.', endpointUrl: receiver.url, ...settings });
  if (answer.status !== 201) throw new Error(answer.body.message);
  return { id: answer.body.data.tool.id as string, name };
}

/** Create a tool and make a dry run. */
async function dryRun(settings: object, params: object = {}) {
  const { id } = await createTool(settings);
  const answer = await admin.post(`${path}/tools/${id}/test`, params);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  return answer.body.data;
}

/** Call a tool as the chat does. */
async function call(name: string, input: unknown, conversationId: string = randomUUID(), signal?: AbortSignal) {
  const tool = (await callableTools(own.scopeOf(acme.id), agentId)).find((each) => each.name === name)!;
  return tool.call(input, { conversationId, signal });
}

const auditOf = async (name: string) =>
  (
    await database().query('select * from agent.tool_calls where agent_id = $1 and tool_name = $2 order by created_at', [
      agentId,
      name,
    ])
  ).rows;

describe('the request', () => {
  test('values are escaped by their place', async () => {
    const nasty = 'a/b?c#d&e=f"g\\h\n{{params.y}} %2F ü 🔑';
    const data = await dryRun(
      {
        endpointUrl: `${receiver.url}/users/{{params.x}}/orders?first={{params.x}}`,
        method: 'PUT',
        queryTemplate: { 'n&m': 'is {{params.x}}&', empty: '{{params.missing}}' },
        headersTemplate: { 'x-number': 'n={{params.n}}' },
        bodyTemplate: '{"text": "<{{params.x}}>", "number": {{params.n}}, "list": {{params.list}}, "none": {{params.missing}}}',
      },
      { x: nasty, n: 7, list: ['ü"', { a: 1 }], y: 'never' },
    );
    expect(data.error).toBeNull();
    const { url, headers, body, method } = receiver.last();
    const parsed = new URL(url, receiver.url);
    expect(method).toBe('PUT');
    expect(parsed.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'users', nasty, 'orders']);
    expect([...parsed.searchParams]).toEqual([
      ['first', nasty],
      ['n&m', `is ${nasty}&`],
      ['empty', ''],
    ]);
    expect(headers).toMatchObject({ 'x-number': 'n=7', 'content-type': 'application/json' });
    expect(JSON.parse(body)).toEqual({ text: `<${nasty}>`, number: 7, list: ['ü"', { a: 1 }], none: null });
    expect(data.request).toMatchObject({ method: 'PUT', query: { first: nasty, empty: '' }, body });
    expect(data.request.url).toBe(receiver.url + url);
  });

  test('the body follows its content type', async () => {
    const send = async (type: string, bodyTemplate: string) => {
      await dryRun({ headersTemplate: { 'Content-Type': type }, bodyTemplate }, { x: 'a&b=<c> ü' });
      return receiver.last().body;
    };
    expect(await send('application/x-www-form-urlencoded', 'x={{params.x}}&y=1')).toBe('x=a%26b%3D%3Cc%3E%20%C3%BC&y=1');
    expect(await send('text/xml; charset=utf-8', '<x>{{params.x}}</x>')).toBe('<x>a&amp;b=&lt;c&gt; ü</x>');
    expect(await send('text/plain', 'say {{params.x}}')).toBe('say a&b=<c> ü');
    await dryRun({ bodyTemplate: 'say {{params.x}}' }, { x: 'hello' });
    expect(receiver.last()).toMatchObject({ body: 'say hello', headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  test('without a template POST sends the parameters, and GET and DELETE send no body', async () => {
    await dryRun({}, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } });
    await dryRun({ bodyTemplate: '' }, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'POST', body: '' });
    await dryRun({ method: 'GET', bodyTemplate: '{"a": 1}' }, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'GET', body: '' });
    await dryRun({ method: 'DELETE' }, { a: 1 });
    expect(receiver.last()).toMatchObject({ method: 'DELETE', body: '' });
  });

  test('the parameters are the body, or its only key params', async () => {
    await dryRun({}, { params: { a: 1 } });
    expect(receiver.last().body).toBe('{"a":1}');
    await dryRun({}, { params: { a: 1 }, b: 2 });
    expect(receiver.last().body).toBe('{"params":{"a":1},"b":2}');
    await dryRun({ inputSchema: { type: 'object', properties: { params: { type: 'object' } } } }, { params: { a: 1 } });
    expect(receiver.last().body).toBe('{"params":{"a":1}}');
  });

  test.each([
    [
      'a line break in a header',
      { headersTemplate: { 'x-a': '{{params.x}}' } },
      'a\r\nx-evil: 1',
      'params.x must not contain line breaks',
    ],
    ['two dots in the path', { endpointUrl: '/users/{{params.x}}/orders' }, '..', 'must not be "." or ".."'],
    ['half a dot segment in the path', { endpointUrl: '/users/.{{params.x}}/orders' }, '.', 'must not be "." or ".."'],
    ['an unknown secret', { headersTemplate: { 'x-a': '{{secret:UNKNOWN}}' } }, 'x', 'The secret UNKNOWN does not exist.'],
    [
      'a parameter that breaks the schema',
      { inputSchema: { type: 'object', properties: { x: { type: 'number' } } } },
      'x',
      'do not match the schema: parameters/x must be number',
    ],
    [
      'a parameter that breaks a pattern',
      { inputSchema: { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } } },
      `${'a'.repeat(30_000)}b`,
      'must match pattern',
    ],
  ])('%s prevents the request', async (_, settings, x, message) => {
    const before = receiver.received.length;
    const endpointUrl = receiver.url + ('endpointUrl' in settings ? settings.endpointUrl : '');
    const data = await dryRun({ ...settings, endpointUrl }, { x });
    expect(data).toEqual({ request: null, response: null, result: null, error: expect.stringContaining(message) });
    expect(receiver.received).toHaveLength(before);
  });
});

describe('allowed domains', () => {
  test('a host from a parameter must be listed', async () => {
    const settings = { endpointUrl: `http://{{params.host}}:${receiver.port}/x`, allowedDomains: ['127.0.0.1', '.example.com'] };
    expect((await dryRun(settings, { host: '127.0.0.1' })).error).toBeNull();
    for (const host of [
      'localhost',
      'example.com',
      'evilexample.com',
      'a.example.com.evil.org',
      '127.0.0.1@evil.org',
      'evil.org/127.0.0.1',
      '2130706433',
      '',
      'a.example.com#',
    ])
      expect((await dryRun(settings, { host })).error).toMatch(/is not in the allowed domains|is not valid|in its usual form/);
  });

  test('a private host is refused although the tool lists it, and gets no secret', async () => {
    const shared = caller(acme.key);
    const { id } = await createTool({ allowedDomains: ['127.0.0.1'], headersTemplate: { authorization: '{{secret:TOKEN}}' } });
    const before = receiver.received.length;
    // The gateway of all tests does not trust the receiver.
    const { body } = await shared.post(`${path}/tools/${id}/test`);
    expect(body.data).toMatchObject({ response: null, result: null, error: 'The address is not on the public internet.' });
    expect(receiver.received).toHaveLength(before);
  });

  test('a redirect is refused, so that no secret follows it', async () => {
    receiver.replyWith((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    const before = receiver.received.length;
    const data = await dryRun({ headersTemplate: { authorization: '{{secret:TOKEN}}' } });
    expect(data.error).toContain('redirects');
    expect(receiver.received).toHaveLength(before + 1);
  });
});

describe('the response', () => {
  const reply = (text: string, type = 'application/json', status = 200) =>
    receiver.replyWith((_, response) => response.writeHead(status, { 'content-type': type }).end(text));

  test.each([
    ['$.a.b', { a: { b: 1 } }, 1],
    ['$.a.c', { a: { b: 1 } }, null],
    ['$.items[*].n', { items: [{ n: 1 }] }, [1]],
    ['$.items[?@.n > 5]', { items: [{ n: 1 }] }, null],
    ["$[?search(@, '^(a+)+b$')]", ['a'.repeat(40)], null],
    ["$[?match(@, '(a+)+')]", ['aaa', 'b'], ['aaa']],
    ['$', [1, 'x', null], [1, 'x', null]],
  ])('the path %s selects', async (jsonPath, value, result) => {
    reply(JSON.stringify(value));
    const data = await dryRun({ responseMapping: { kind: 'jsonpath', path: jsonPath } });
    expect(data).toMatchObject({ error: null, result });
  });

  test('long text and long results are cut', async () => {
    reply('é'.repeat(10_000), 'text/plain; charset=utf-8');
    const long = await dryRun({});
    expect([long.result.length, long.response.truncated]).toEqual([8000, true]);
    const short = await dryRun({ responseMapping: { kind: 'raw', truncateChars: 5 } });
    expect(short).toMatchObject({
      result: 'ééééé',
      response: { snippet: 'ééééé', truncated: true, status: 200, durationMs: expect.any(Number) },
    });
    reply(JSON.stringify({ a: 'x'.repeat(50) }));
    const mapped = await dryRun({ responseMapping: { kind: 'jsonpath', path: '$.a', truncateChars: 10 } });
    expect(mapped).toMatchObject({ result: '"xxxxxxxxx', response: { truncated: true } });
  });

  test.each([
    ['text that is not JSON', 'oops', 'text/plain', 'The response is not JSON.'],
    ['an image', 'PNG', 'image/png', 'The receiver answered with image/png, which is not text.'],
    ['more than 2 MB', 'x'.repeat(2_200_000), 'text/plain', 'The answer is larger than allowed.'],
    ['deeply nested JSON', '['.repeat(100_000) + ']'.repeat(100_000), 'application/json', 'nested too deeply|cannot be applied'],
  ])('%s is an error', async (_, text, type, message) => {
    reply(text, type);
    expect((await dryRun({ responseMapping: { kind: 'jsonpath', path: '$' } })).error).toMatch(new RegExp(message));
  });

  test('a path with quadratic cost is terminated', async () => {
    reply(JSON.stringify(Array.from({ length: 30_000 }, (_, n) => ({ n }))));
    const data = await dryRun({ responseMapping: { kind: 'jsonpath', path: '$[?count($..*) > @.n]' } });
    expect(data.error).toBe('The work takes too long.');
    expect((await admin.get(`${path}/tools`)).status).toBe(200);
  });

  test('an error status is an error with an excerpt', async () => {
    reply('{"reason":"no stock"}', 'application/json', 422);
    const data = await dryRun({ responseMapping: { kind: 'jsonpath', path: '$.reason' } });
    expect(data).toMatchObject({
      result: null,
      error: 'The receiver answered with status 422: {"reason":"no stock"}',
      response: { status: 422, snippet: '{"reason":"no stock"}' },
    });
  });

  test('a receiver that never answers, resets, or drips is cut off by the time limit', async () => {
    receiver.replyWith(() => {});
    expect((await dryRun({ timeoutMs: 500 })).error).toBe('The address took too long to answer.');
    receiver.replyWith((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    expect((await dryRun({ timeoutMs: 500 })).error).toBe('The address took too long to answer.');
    receiver.replyWith((_, response) => void response.destroy());
    expect((await dryRun({})).error).toBe('The address could not be reached.');
  });
});

describe('secrets', () => {
  const settings = () => ({
    endpointUrl: `${receiver.url}/{{secret:TOKEN}}?t={{secret:TOKEN}}`,
    headersTemplate: {
      authorization: 'Bearer {{secret:TOKEN}}',
      'x-other': 'k {{params.x}}',
      'x-api-key': 'written-into-the-template',
    },
    queryTemplate: { access_token: 'also-written-here' },
    bodyTemplate:
      '{"value": "{{secret:TOKEN}}", "raw": {{secret:TOKEN}}, "password": "{{params.x}}", "client_secret": "and-written-here"}',
  });
  const forms = [
    SECRET,
    encodeURIComponent(SECRET),
    JSON.stringify(SECRET).slice(1, -1),
    Buffer.from(SECRET).toString('base64').slice(0, 18),
    'written-into-the-template',
    'also-written-here',
    'and-written-here',
  ];

  test('the receiver gets them, and everything shown is masked, also what it echoes in any encoding', async () => {
    receiver.replyWith(({ url, headers, body }, response) =>
      response.end(
        JSON.stringify({
          url,
          headers,
          body,
          basic: Buffer.from(`u:${SECRET}`).toString('base64'),
          twice: encodeURIComponent(encodeURIComponent(SECRET)),
        }),
      ),
    );
    const data = await dryRun(settings(), { x: SECRET });
    const { url, headers, body } = receiver.last();
    expect(decodeURIComponent(new URL(url, receiver.url).pathname.slice(1))).toBe(SECRET);
    // Node shows bytes of headers as Latin-1.
    expect(Buffer.from(headers.authorization!, 'latin1').toString('utf8')).toContain('Bearer s3cr3t');
    expect(JSON.parse(body)).toMatchObject({ value: SECRET, raw: SECRET });
    const shown = JSON.stringify(data);
    for (const form of forms) expect(shown).not.toContain(form);
    expect(shown).not.toContain('s3cr3t');
    expect(data.request).toMatchObject({
      url: `${receiver.url}/••••?t=••••&access_token=••••`,
      headers: { authorization: 'Bearer ••••', 'x-other': 'k ••••', 'x-api-key': '••••' },
      query: { t: '••••', access_token: '••••' },
    });
    expect(JSON.parse(data.request.body)).toEqual({
      value: '••••',
      raw: '••••',
      password: '••••',
      client_secret: '••••',
    });
  });

  test('neither the model nor the audit record gets them', async () => {
    receiver.replyWith(({ headers }, response) => response.writeHead(500).end(`bad token ${headers.authorization} ${SECRET}`));
    const { name } = await createTool({ ...settings(), headersTemplate: { 'x-token': '{{secret:TOKEN}}' } });
    const failed = await call(name, { x: 'y' });
    expect(failed).toEqual({ error: expect.stringContaining('The receiver answered with status 500: bad token') });
    receiver.replyWith((_, response) =>
      response.end(JSON.stringify({ echo: SECRET, list: [{ [SECRET]: encodeURIComponent(SECRET) }] })),
    );
    const answered = await call(name, { x: SECRET });
    const audit = await auditOf(name);
    expect(audit).toHaveLength(2);
    expect(JSON.stringify([failed, answered, audit])).not.toMatch(/s3cr3t|written-/);
  });

  test('a replaced value is used by the next call', async () => {
    const { body } = await admin.get(`${path}/secrets`);
    const { id } = body.data.secrets.find(({ name }: { name: string }) => name === 'TOKEN');
    const mutation = 'mutation ($id: ID!, $value: String!) { updateSecret(id: $id, input: { value: $value }) { id maskedValue } }';
    const { name } = await createTool({ headersTemplate: { 'x-token': '{{secret:TOKEN}}' } });
    await admin.graphql(mutation, { id, value: 'another-value' });
    await call(name, {});
    expect(receiver.last().headers['x-token']).toBe('another-value');
    await admin.graphql(mutation, { id, value: SECRET });
  });
});

test('a secret whose key is lost fails the call with an instruction', async () => {
  await admin.post(`${path}/secrets`, { name: 'LOST', value: 'x' });
  await database().query(
    "update agent.secrets set sealed = '\\x01ffffffff'::bytea || substring(sealed from 6) where organization_id = $1 and name = 'LOST'",
    [acme.id],
  );
  const { error } = await dryRun({ headersTemplate: { a: '{{secret:LOST}}' } });
  expect(error).toBe('The secret LOST cannot be decrypted. Replace its value.');
});

describe('calls by the model', () => {
  const TOOL_CALLS = `query ($agentId: ID!, $toolId: ID, $conversationId: ID, $status: ToolCallStatus, $limit: Int! = 50, $page: Int! = 1) {
    toolCalls(agentId: $agentId, toolId: $toolId, conversationId: $conversationId, status: $status, limit: $limit, page: $page) {
      nodes { toolId toolName conversationId status responseStatus durationMs request { method url headers query body } error createdAt }
      pagination { total totalPages }
    }
  }`;

  test('each call is an audit record, and a dry run is none', async () => {
    const { id, name } = await createTool({ method: 'GET', queryTemplate: { q: '{{params.q}}' } });
    await admin.post(`${path}/tools/${id}/test`, { q: 'dry' });
    const conversationId = randomUUID();
    const { output } = (await call(name, { q: 'wet' }, conversationId)) as { output: string };
    expect(JSON.parse(output)).toMatchObject({ url: '/?q=wet' });
    receiver.replyWith((_, response) => response.writeHead(404).end());
    expect(await call(name, { q: 'lost' }, conversationId)).toEqual({ error: 'The receiver answered with status 404.' });
    const { toolCalls } = await admin.graphql(TOOL_CALLS, { agentId, conversationId });
    expect(toolCalls.pagination.total).toBe(2);
    expect(toolCalls.nodes).toMatchObject([
      {
        toolId: id,
        toolName: name,
        conversationId,
        status: 'failed',
        responseStatus: 404,
        error: 'The receiver answered with status 404.',
      },
      {
        status: 'succeeded',
        responseStatus: 200,
        durationMs: expect.any(Number),
        error: null,
        request: { method: 'GET', url: `${receiver.url}/?q=wet`, query: { q: 'wet' }, body: null },
      },
    ]);
    expect((await admin.graphql(TOOL_CALLS, { agentId, toolId: id, status: 'failed' })).toolCalls.pagination.total).toBe(1);
    const page = (await admin.graphql(TOOL_CALLS, { agentId, toolId: id, limit: 1, page: 2 })).toolCalls;
    expect(page).toMatchObject({ nodes: [{ status: 'succeeded' }], pagination: { total: 2, totalPages: 2 } });
    expect((await admin.graphql(TOOL_CALLS, { agentId, toolId: 'no-id' })).toolCalls.nodes).toEqual([]);
    await admin.send('DELETE', `${path}/tools/${id}`);
    expect((await admin.graphql(TOOL_CALLS, { agentId, toolId: id })).toolCalls.pagination.total).toBe(2);
  });

  test('parameters that do not fit are an error for the model and an audit record', async () => {
    const { name } = await createTool({ inputSchema: { type: 'object', required: ['q'] } });
    for (const [input, message] of [
      [{}, "must have required property 'q'"],
      [[], 'The parameters must be an object.'],
      ['{"q"', 'The parameters must be an object.'],
      [{ q: 'x'.repeat(70_000) }, 'at most 64000 characters'],
    ] as const)
      expect(await call(name, input)).toEqual({ error: expect.stringContaining(message) });
    expect(await auditOf(name)).toHaveLength(4);
  });

  test('only enabled tools are callable, with an object schema', async () => {
    const { id, name } = await createTool({ inputSchema: { properties: { a: {} } } });
    const find = async () => (await callableTools(own.scopeOf(acme.id), agentId)).find((each) => each.name === name);
    expect(await find()).toMatchObject({ description: 'Does it.', inputSchema: { type: 'object', properties: { a: {} } } });
    await admin.send('PATCH', `${path}/tools/${id}`, { enabled: false });
    expect(await find()).toBeUndefined();
    const { id: other } = await seedOrganization();
    expect(await callableTools(own.scopeOf(other), agentId)).toEqual([]);
  });

  test('a canceled call ends at once and is recorded', async () => {
    receiver.replyWith(() => {});
    const { name } = await createTool({ timeoutMs: 30_000 });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    expect(await call(name, {}, randomUUID(), abort.signal)).toEqual({ error: 'The call was canceled.' });
    expect(await auditOf(name)).toMatchObject([{ status: 'failed', error: 'The call was canceled.' }]);
  });

  test('a call whose process is killed leaves a record, which a sweep fails', async () => {
    receiver.replyWith(() => {});
    const { name } = await createTool({ timeoutMs: 30_000, headersTemplate: { 'x-token': '{{secret:TOKEN}}' } });
    const before = receiver.received.length;
    const args: CallArguments = [acme.id, agentId, name];
    const calling = await startProcess('tests/agent/calling-process.ts', args, {
      TEST_DATABASE_URL: process.env.TEST_DATABASE_URL!,
    });
    await until(() => receiver.received.length > before);
    await calling.stop('SIGKILL');
    const [record] = await auditOf(name);
    expect(record).toMatchObject({ status: 'running', request: { headers: { 'x-token': '••••' } }, duration_ms: null });
    await database().query("update agent.tool_calls set created_at = now() - interval '6 minutes' where id = $1", [record.id]);
    await sweepCalls(own.services.pool);
    expect(await auditOf(name)).toMatchObject([{ status: 'failed', error: 'The process was interrupted during the call.' }]);
  });

  test('text that PostgreSQL cannot store does not lose the record', async () => {
    receiver.replyWith((_, response) => response.writeHead(500).end('{"a":"\\u0000\\ud800 \0"}'));
    const { name } = await createTool({ bodyTemplate: '{"x": "{{params.x}}"}' });
    expect(await call(name, { x: 'a\0b\ud800' })).toEqual({ error: expect.stringContaining('status 500') });
    receiver.replyWith((_, response) => response.setHeader('content-type', 'application/json').end('{"a":"\\u0000\\ud800x"}'));
    const { name: mapped } = await createTool({ responseMapping: { kind: 'jsonpath', path: '$.a' } });
    expect(await call(mapped, { x: 'a\0b' })).toEqual({ output: '\ufffdx' });
    expect(await auditOf(name)).toMatchObject([{ status: 'failed', response_status: 500 }]);
    expect(await auditOf(mapped)).toMatchObject([{ status: 'succeeded' }]);
  });

  test('only admins of the organization read the records', async () => {
    const member = caller((await acme.addMember('member')).key, { url: gateway.url });
    expect(await member.refusal(TOOL_CALLS, { agentId })).toMatchObject({ code: 'FORBIDDEN' });
    const stranger = caller((await seedOrganization()).key, { url: gateway.url });
    expect(await stranger.refusal(TOOL_CALLS, { agentId })).toMatchObject({ code: 'NOT_FOUND', message: 'Agent not found' });
  });
});
