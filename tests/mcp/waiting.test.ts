import { randomUUID } from 'node:crypto';
import { question, seedAgent } from '../agent/chat/chatting.ts';
import { type ScriptedResponse, startChatProvider } from '../support/chat-provider.ts';
import { seedCatalog } from '../support/enrichment.ts';
import { openGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { allow, connect, message, send } from './mcp.ts';

const provider = await startChatProvider();
const gateway = await openGateway({ OPENAI_BASE_URL: provider.url });
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

const catalog = await seedCatalog();
await allow(catalog.key, ['catalog-read', 'jobs']);
const { client, call } = await connect(catalog.key);
const slow = (count: number, milliseconds = 400) => catalog.addColored(count, `[[provider: slow ${milliseconds}]]`);
/** A job of one item whose provider does not answer until `finish` is called. */
async function startWaiting() {
  const gate = randomUUID();
  const jobId = await catalog.start(await catalog.addColored(1, `[[provider: gate 0 ${gate}]]`));
  const finish = async () => {
    await catalog.stop(jobId);
    await fetch(new URL(`/open/${gate}`, process.env.TEST_PROVIDER));
  };
  return { jobId, finish };
}

test('a call waits until a job ends and reports its progress', async () => {
  const productIds = await slow(6);
  const { body } = await call('create_product_enrichment_job', { productIds, modelType: 'budget-v1', websearch: false });
  const job_id = body.data.jobId as string;
  const reports: { progress: number; total?: number }[] = [];
  const result = await client.callTool({ name: 'wait_for_job', arguments: { job_id } }, undefined, {
    onprogress: (each) => reports.push(each),
  });
  expect(result.structuredContent).toMatchObject({
    ended: true,
    status: 'completed',
    processedCount: 6,
    successCount: 6,
    failedCount: 0,
    job: { id: job_id, kind: 'product-enrichment', totalCount: 6 },
  });
  const done = reports.map(({ progress }) => progress);
  expect(done.length).toBeGreaterThan(1);
  expect(done).toEqual([...new Set(done)].sort((a, b) => a - b));
  expect(reports.every(({ total }) => total === 6)).toBe(true);
  // Without a progress token there is only the result.
  expect((await call('wait_for_job', { job_id })).body).toMatchObject({ ended: true, status: 'completed' });
});

test('waiting ends after the given time with the current state', async () => {
  const { jobId, finish } = await startWaiting();
  const { body } = await call('wait_for_job', { job_id: jobId, wait_seconds: 1 });
  expect(body).toMatchObject({ ended: false, processedCount: 0, job: { id: jobId } });
  await finish();
});

test('a canceled or disconnected call frees its place, and the job continues', async () => {
  const { jobId, finish } = await startWaiting();
  const given = { name: 'wait_for_job', arguments: { job_id: jobId, wait_seconds: 60 } };
  const cancel = new AbortController();
  const canceled = Array.from({ length: 10 }, () =>
    client.callTool(given, undefined, { signal: cancel.signal }).catch(() => 'canceled'),
  );
  const disconnect = new AbortController();
  const raw = Array.from({ length: 10 }, (_, id) =>
    fetch(`${process.env.TEST_URL}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-api-key': catalog.key },
      body: JSON.stringify(message('tools/call', given, id)),
      signal: disconnect.signal,
    })
      .then((response) => response.text())
      .catch(() => 'disconnected'),
  );
  const probe = () => call('wait_for_job', { job_id: jobId, wait_seconds: 1 });
  await until(async () => (await probe()).text === '429 RATE_LIMITED: Rate limit exceeded');
  cancel.abort();
  expect(await Promise.all(canceled)).toEqual(Array(10).fill('canceled'));
  await until(async () => !(await probe()).isError);
  disconnect.abort();
  expect(await Promise.all(raw)).toEqual(Array(10).fill('disconnected'));
  // Twenty places are free again.
  await until(async () => {
    const all = await Promise.all(Array.from({ length: 20 }, probe));
    return all.every(({ isError }) => !isError);
  });
  expect((await catalog.job(jobId)).status).not.toBe('stopped');
  await finish();
});

test('another session cannot cancel a call, even with the same key', async () => {
  const jobId = await catalog.start(await slow(1, 1_500));
  const wait = message('tools/call', { name: 'wait_for_job', arguments: { job_id: jobId } }, 7);
  const headers = { 'x-api-key': catalog.key, 'mcp-session-id': 'one' };
  const waiting = send(wait, headers);
  const other = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  expect((await send(other, { ...headers, 'mcp-session-id': 'two' })).status).toBe(202);
  expect((await send(other, { 'x-api-key': catalog.key })).status).toBe(202);
  const { text, headers: answered } = await waiting;
  expect(text).toMatch(/"ended":true/);
  // Proxies pass on each event at once.
  expect(answered.get('x-accel-buffering')).toBe('no');
});

test('a reply of an agent is one result, and its text arrives as progress', async () => {
  const acme = await seedAgent(gateway.url);
  await allow(acme.key, ['agents-write', 'agents-read']);
  const assistant = await connect(acme.key, { url: gateway.url });
  let resume: (response: ScriptedResponse) => void = () => {};
  provider.on('hello', (response) => {
    response.text('Hello');
    resume = () => response.text(' there').finish();
  });
  const parts: string[] = [];
  const chat = assistant.client.callTool(
    { name: 'chat_with_agent', arguments: { agentId: acme.agent.id, ...question('hello') } },
    undefined,
    { onprogress: ({ message: text }) => parts.push(text ?? '') },
  );
  await until(() => provider.requests('hello').length > 0);
  resume(undefined as never);
  const { structuredContent } = await chat;
  expect(structuredContent).toMatchObject({ text: 'Hello there', ended: true, conversationId: expect.any(String) });
  expect('Hello there'.startsWith(parts.join(''))).toBe(true);
  const { conversationId } = structuredContent as { conversationId: string };
  expect((await assistant.call('read_chat_reply', { agentId: acme.agent.id, conversationId })).body).toEqual({
    text: '',
    ended: true,
  });
  const unknown = await assistant.call('chat_with_agent', { agentId: crypto.randomUUID(), ...question('hello') });
  expect(unknown.text).toBe('404 NOT_FOUND: Agent not found');
});
