import { randomUUID } from 'node:crypto';
import { detached } from '../../../platform/scope/index.ts';
import { chunkSource } from '../../../subgraphs/agent/ingestion/ingestion-steps.ts';
import type { IngestionScope } from '../../../subgraphs/agent/ingestion/source-state.ts';
import { CREATE, openAgents } from '../operations.ts';
import { pdf } from './documents.ts';

const graph = await openAgents();
afterAll(() => graph.close());

test('a file that waits for another of its organization leaves the worker to others', async () => {
  const { id: organizationId, key } = await graph.seed();
  const { createAgent } = await graph.caller(key).ask(CREATE, { input: { name: 'Support' } });
  const scan = pdf(Array.from({ length: 1_000 }, () => Array.from({ length: 1_000 }, () => ' ')));
  const seedSource = async () => {
    const [sourceId, fileId] = [randomUUID(), randomUUID()];
    await graph.services.pool.query(
      `with file as (
         insert into catalog.files (id, organization_id, name, mime, created_by_id, bytes, kept)
         values ($1, $2, 'scan.pdf', 'application/pdf', gen_random_uuid(), $3, true)),
       content as (insert into catalog.file_chunks (file_id, place, bytes) values ($1, 0, $4))
       insert into agent.sources (id, organization_id, agent_id, type, name, file_id, file_name, file_bytes, status, run, refresh_interval)
       values ($5, $2, $6, 'text', 'Scan', $1, 'scan.pdf', $3, 'chunking', 1, 'never')`,
      [fileId, organizationId, scan.length, scan, sourceId, createAgent.id],
    );
    return sourceId;
  };
  const sources = [await seedSource(), await seedSource()];
  const stop = new AbortController();
  const scope = () =>
    ({
      ...detached({ organizationId, services: graph.services }),
      model: { embedding: 'm' },
      signal: stop.signal,
    }) as IngestionScope;
  const steps = sources.map((sourceId) => chunkSource(scope(), sourceId));
  expect(await Promise.race(steps)).toEqual({ step: 'chunkSource', waitMs: expect.any(Number) });
  stop.abort(new Error('stopped'));
  await Promise.allSettled(steps);
});
