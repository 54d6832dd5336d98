import { randomUUID } from 'node:crypto';
import { detached, transaction } from '../../../platform/scope/index.ts';
import { startNext } from '../../../subgraphs/agent/ingestion/source-state.ts';
import { CREATE, openAgents } from '../operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const { pool } = graph.services;

/** A queued source with a message that starts it, which the relay has claimed `attempts` times. */
async function queueSource(attempts: number) {
  const { id: organizationId, key } = await graph.seed();
  const { createAgent } = await graph.caller(key).ask(CREATE, { input: { name: 'Support' } });
  const sourceId = randomUUID();
  await pool.query(
    `insert into agent.sources (id, organization_id, agent_id, type, name, text, status, refresh_interval)
     values ($1, $2, $3, 'text', 'Notes', 'Text', 'queued', 'never')`,
    [sourceId, organizationId, createAgent.id],
  );
  const message = JSON.stringify({ sourceId, organizationId });
  await pool.query(`insert into identity.outbox (topic, payload, attempts) values ('source.start', $1, $2)`, [message, attempts]);
  return {
    endAnother: () => transaction(detached({ organizationId, services: graph.services }), (scope) => startNext(scope, 1)),
    /** Messages that the relay has not claimed. */
    async waiting() {
      const { rows } = await pool.query(`select payload from identity.outbox where attempts = 0 and payload ->> 'sourceId' = $1`, [
        sourceId,
      ]);
      return rows.length;
    },
  };
}

test('a source is started again when its workflow may have found that its turn had not come', async () => {
  const { endAnother, waiting } = await queueSource(1);
  await endAnother();
  expect(await waiting()).toBe(1);
});

test('a source whose start is still to come is not started twice', async () => {
  const { endAnother, waiting } = await queueSource(0);
  await endAnother();
  expect(await waiting()).toBe(1);
});
