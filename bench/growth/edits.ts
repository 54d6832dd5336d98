import { graphql, jobEnded } from '../jobs.ts';
import type { Line } from '../report.ts';
import { each, type Pairs } from '../rounds.ts';
import type { Bench, Note, Part } from '../system.ts';
import { seedGrowth } from './seed.ts';

const PRODUCTS = 1_000_000;
/** Products of one statement of the peer, as many as a page of a bulk edit. */
const PAGE = 500;
/** Each has an eighth of the products. */
const [OURS, THEIRS] = ['Home > Bench lamp', 'Home > Oak chair'];

const START = `mutation ($category: String!, $value: AttributeContent, $uom: AttributeContent) {
  job: createProductEditJob(selection: { filter: { categoryBelow: $category } },
    edits: [{ attribute: "series", action: set, value: $value }, { field: uom, action: set, value: $uom }]) { id totalCount } }`;
const UNDO = 'mutation ($id: ID!) { job: undoProductEdit(jobId: $id) { id } }';

/**
 * Products per second of a bulk edit of an eighth of a large catalog, and of its undo. Compared with a program that writes as many rows of
 * the same table, with the same triggers, 500 in a transaction, without checks, results or undo.
 */
async function measure(bench: Bench, note: Note): Promise<Line[]> {
  const count = bench.of(PRODUCTS);
  const { id } = bench.organizations.edited!;
  await seedGrowth(bench.pool, [[id, count]], note);
  const edit: Pairs = { ours: [], peer: [] };
  const undo: Pairs = { ours: [], peer: [] };
  for (let round = 1; round <= bench.rounds; round += 1) {
    note(`round ${round} of ${bench.rounds}: bulk edit`);
    const [job, edited] = await timed(async () => {
      const made = await graphql(bench, 'edited', START, { category: OURS, value: `Series ${round}`, uom: `set of ${round}` });
      await jobEnded(bench, made.job.id);
      return made.job;
    });
    const changed = await results(bench, job.id);
    note(`round ${round} of ${bench.rounds}: undo`);
    const [, undone] = await timed(async () => {
      const made = await graphql(bench, 'edited', UNDO, { id: job.id });
      await jobEnded(bench, made.job.id);
    });
    edit.ours.push((changed * 1_000) / edited);
    undo.ours.push((changed * 1_000) / undone);
    for (const [pairs, value] of [
      [edit, `Series ${round}`],
      [undo, `Series ${round} again`],
    ] as const) {
      note(`round ${round} of ${bench.rounds}: the peer`);
      const [rows, ms] = await timed(() => update(bench, id, value));
      pairs.peer.push((rows * 1_000) / ms);
    }
  }
  const peer = 'pg: updates of 500 rows of the same table, with its triggers; nothing is checked, no results, no undo';
  const line = (name: string, pairs: Pairs): Line => ({
    name,
    peer,
    pairs,
    unit: 'products/s',
    values: each(pairs, (a, b) => a / b),
  });
  const of = `${Math.round(count / 8).toLocaleString('en')} of ${count.toLocaleString('en')} products`;
  return [line(`bulk edit of ${of}`, edit), line(`undo of a bulk edit of ${of}`, undo)];
}

export const edits: Part = { organizations: ['edited'], measure };

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const value = await work();
  return [value, performance.now() - start];
}

/** The number of products that a bulk edit changed. Fails unless it is an eighth of all. */
async function results(bench: Bench, jobId: string): Promise<number> {
  const { rows } = await bench.pool.query(
    `select count(*) filter (where outcome = 'changed')::int as changed, count(*)::int as all from catalog.product_edits where job_id = $1`,
    [jobId],
  );
  const { changed, all } = rows[0];
  if (changed !== all || Math.abs(changed - bench.of(PRODUCTS) / 8) > 1)
    throw new Error(`${changed} of ${all} products have changed`);
  return changed;
}

/** Writes the rows of a category, and returns their number. */
async function update({ pool }: Bench, organizationId: string, value: string): Promise<number> {
  let [after, total] = ['00000000-0000-0000-0000-000000000000', 0];
  for (;;) {
    const { rows } = await pool.query(
      `with page as materialized (select id from catalog.products
          where organization_id = $1 and category like $2 || '%' and id > $3 order by id limit ${PAGE})
       update catalog.products p set uom = $4::text, updated_at = now(), attributes = attributes || jsonb_build_object('series',
         jsonb_build_object('attributeName', 'Series', 'attributeType', 'text', 'value', $4::text)) from page where p.id = page.id returning p.id`,
      [organizationId, THEIRS, after, value],
    );
    total += rows.length;
    if (rows.length < PAGE) return total;
    after = rows
      .map(({ id }) => id as string)
      .sort()
      .at(-1)!;
  }
}
