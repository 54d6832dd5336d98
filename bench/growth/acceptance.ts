import type { Pool } from 'pg';
import type { Line } from '../report.ts';
import type { Bench, Note, Part } from '../system.ts';
import { compare, target } from './growth.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;
const ATTRIBUTES = 40;

const REQUESTS = {
  'curve and slider': `{ acceptanceReport(modelType: "budget-v1", precision: 0.95) {
    open curve { precision accepted remaining } attributes { slug open accepted judged reviewsNeeded } } }`,
  'order of learning': '{ learningQueue(limit: 50) { itemId slug confidence } }',
};

/** The page of confidence and the order of learning, with a million open values, compared with a thousand in the same database. Aim: 100 ms. */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const count = Math.max(bench.of(LARGE), SMALL);
  const sizes = [
    ['manyvalues', count],
    ['fewvalues', SMALL],
  ] as const;
  for (const [slug, size] of sizes) {
    note(`${size.toLocaleString('en')} open values`);
    await seedValues(bench.pool, bench.organizations[slug]!.id, size);
  }
  await bench.pool.query('vacuum analyze catalog.proposals, catalog.confidence_labels, catalog.counters');
  const lines: Line[] = [];
  for (const [name, query] of Object.entries(REQUESTS)) {
    const label = `${count.toLocaleString('en')} open values, ${name}`;
    note(label);
    lines.push(await compare(bench.rounds, label, target(bench, 'manyvalues', { query }), target(bench, 'fewvalues', { query })));
  }
  return lines;
}

/** Ids in the order of `n`, with which indexes grow at their end. */
const ID = `(lpad(to_hex(n), 8, '0') || right($1::uuid::text, 28))::uuid`;

/** Open values of many attributes and scores, and 5,000 judged ones. The slots of the counters are added up, as every minute. */
async function seedValues(pool: Pool, organizationId: string, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    // Without the triggers, which would count for minutes.
    await client.query(`set local session_replication_role = replica; set local statement_timeout = 0`);
    await client.query(
      `insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, tier, score, proposed)
       select ${ID}, 'attribute-' || n % ${ATTRIBUTES}, $1, $1, ${ID}, n % 100, 'budget-v1', n / ${ATTRIBUTES} % 101,
              '{"attributeName": "Attribute", "attributeType": "text", "value": "red"}' from generate_series(1, $2::int) n`,
      [organizationId, count],
    );
    await client.query(
      `insert into catalog.counters (organization_id, kind, key, slot, count)
       select organization_id, kind, concat_ws(' ', tier, score, slug), 0, count(*)
         from catalog.proposals cross join unnest(array['open', 'written']) as kind where organization_id = $1 group by 1, 2, 3`,
      [organizationId],
    );
    await client.query(
      `insert into catalog.confidence_labels (item_id, slug, organization_id, tier, stated, confidence, score, is_right, kind)
       select gen_random_uuid(), 'attribute-' || n % ${ATTRIBUTES}, $1, 'budget-v1', 90, 90, n / ${ATTRIBUTES} % 101,
              n / ${ATTRIBUTES} % 101 > 60 or n % 3 = 0, 'review' from generate_series(1, 5000) n`,
      [organizationId],
    );
    await client.query('commit');
  } finally {
    client.release(true);
  }
}

export const acceptance: Part = { organizations: ['fewvalues', 'manyvalues'], measure };
