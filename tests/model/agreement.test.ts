import { once } from 'node:events';
import { readTwice } from '../../subgraphs/catalog/enrichment/ask-model.ts';
import type { Job } from '../../subgraphs/catalog/jobs/entity.ts';
import type { WorkScope } from '../../subgraphs/catalog/jobs/job-kind.ts';
import { fault, json, startProvider } from './support/provider.ts';
import { attributes, modelAt } from './support/samples.ts';

test('when one of two readings is throttled, the other request ends', async () => {
  const arrived = Promise.withResolvers<void>();
  let ended: Promise<unknown> | undefined;
  await using provider = await startProvider(
    (response, request) => arrived.promise.then(() => json(429, fault('rate_limit_exceeded'))(response, request)),
    (response) => {
      ended = once(response, 'close');
      arrived.resolve();
    },
  );
  const scope = { model: modelAt(provider.url), signal: new AbortController().signal } as WorkScope;
  const request = { subject: 'product', attributes: attributes.slice(0, 1), record: { name: 'Lamp' }, existing: {}, sources: [] };
  const reading = readTwice(scope, { modelType: 'budget-v1' } as Job, request as unknown as Parameters<typeof readTwice>[2]);
  await expect(reading).rejects.toMatchObject({ isThrottled: true });
  await ended;
  expect(provider.received).toHaveLength(2);
});
