import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProviderFault, ProviderRefusal } from '../../platform/model/faults.ts';
import { DIMENSIONS } from '../../platform/model/model-client.ts';
import { modelAt } from './support/samples.ts';

/** Answers requests for embeddings with the returned status and body. */
async function providerOf(answer: (body: { input: string[]; dimensions?: number }) => [status: number, body: unknown]) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const [status, body] = answer(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const model = modelAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, { embedding: 'small' });
  return { model, close: () => server.close() };
}

const entry = (index: number, embedding: number[]) => ({ object: 'embedding', index, embedding });
const list = (...data: object[]) => ({ object: 'list', model: 'small', data, usage: { prompt_tokens: 1, total_tokens: 1 } });
const ones = (length: number) => Array.from({ length }, () => 1);

test('vectors come in the order of the texts, with unit length, whatever their number of dimensions', async () => {
  const { model, close } = await providerOf(() => [200, list(entry(1, ones(1_024)), entry(0, [3, 4]))]);
  const [short, long] = await model.embed(['a', 'b']);
  expect([short!.length, long!.length]).toEqual([DIMENSIONS, DIMENSIONS]);
  expect([...short!.slice(0, 3)].map((each) => each.toFixed(3))).toEqual(['0.600', '0.800', '0.000']);
  expect(Math.hypot(...long!)).toBeCloseTo(1, 5);
  close();
});

test('a model that rejects the parameter `dimensions` is asked without it', async () => {
  const asked: (number | undefined)[] = [];
  const { model, close } = await providerOf(({ dimensions }) => {
    asked.push(dimensions);
    return dimensions ? [400, { error: { message: 'unknown parameter' } }] : [200, list(entry(0, [1]))];
  });
  expect(await model.embed(['a'])).toHaveLength(1);
  expect(asked).toEqual([DIMENSIONS, undefined]);
  close();
});

test.each<[string, [number, unknown], typeof ProviderFault | typeof ProviderRefusal]>([
  ['too few vectors', [200, list(entry(0, [1]))], ProviderFault],
  ['a vector without a direction', [200, list(entry(0, [0, 0]), entry(1, [1]))], ProviderFault],
  ['no list', [200, { object: 'list' }], ProviderFault],
  ['429', [429, { error: { message: 'slow down' } }], ProviderFault],
  ['401', [401, { error: { message: 'no key' } }], ProviderRefusal],
])('%s is a fault of the provider', async (_, answer, type) => {
  const { model, close } = await providerOf(() => answer);
  await expect(model.embed(['a', 'b'])).rejects.toBeInstanceOf(type);
  close();
});
