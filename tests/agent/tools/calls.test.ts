import { sweepCalls } from '../../../subgraphs/agent/tool-calls/service.ts';
import { callableTools } from '../../../subgraphs/agent/tools/callable.ts';
import { caller } from '../../support/client.ts';
import { startProcess } from '../../support/processes.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { strangerOf } from './calling.ts';
import type { CallArguments } from './calling-process.ts';
import { openTools, SECRET } from './open-tools.ts';

const { acme, receiver, own, gateway, admin, agentId, path, createTool, dryRun, converse, call, auditOf, close } =
  await openTools();
afterAll(close);
afterEach(() => receiver.replyWith());

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
    const conversationId = await converse();
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

  test('a call that cannot be prepared is an error for the model and an audit record', async () => {
    const { name } = await createTool({});
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(await call(name, cyclic)).toEqual({ error: 'The tool could not be called.' });
    expect(await auditOf(name)).toMatchObject([{ status: 'failed', request: null, error: 'The tool could not be called.' }]);
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
    const find = async () => (await callableTools(own.scopeOf(acme.id), strangerOf(agentId))).find((each) => each.name === name);
    expect(await find()).toMatchObject({ description: 'Does it.', inputSchema: { type: 'object', properties: { a: {} } } });
    await admin.send('PATCH', `${path}/tools/${id}`, { enabled: false });
    expect(await find()).toBeUndefined();
    const { id: other } = await seedOrganization();
    expect(await callableTools(own.scopeOf(other), strangerOf(agentId))).toEqual([]);
  });

  test('a canceled call ends at once and is recorded', async () => {
    receiver.replyWith(() => {});
    const { name } = await createTool({ timeoutMs: 30_000 });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    expect(await call(name, {}, undefined, abort.signal)).toEqual({ error: 'The call was canceled.' });
    expect(await auditOf(name)).toMatchObject([{ status: 'failed', error: 'The call was canceled.' }]);
  });

  test('a call whose process is killed leaves a record, which a sweep fails', async () => {
    receiver.replyWith(() => {});
    const { name } = await createTool({ timeoutMs: 30_000, headersTemplate: { 'x-token': '{{secret:TOKEN}}' } });
    const before = receiver.received.length;
    const args: CallArguments = [acme.id, agentId, name];
    const calling = await startProcess('tests/agent/tools/calling-process.ts', args, {
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
