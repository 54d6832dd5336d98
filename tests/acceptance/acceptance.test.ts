import { randomUUID } from 'node:crypto';
import { readRows } from '../../platform/database/rows.ts';
import { detached } from '../../platform/scope/index.ts';
import { Attribute } from '../../subgraphs/catalog/attributes/entity.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { outcomeOf } from '../../subgraphs/catalog/enrichment/kind.ts';
import { Job, JobItem } from '../../subgraphs/catalog/jobs/entity.ts';
import { completeItem } from '../../subgraphs/catalog/jobs/item-completion.ts';
import { Product } from '../../subgraphs/catalog/products/entity.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { duringTransaction } from '../support/rival.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const ITEMS = 40;
const REVIEW = 'mutation ($itemId: ID!, $decisions: [Decision!]!) { reviewItem(itemId: $itemId, decisions: $decisions) { id } }';
const QUEUE = 'query { reviewQueue(limit: 100) { nodes { itemId slug } pagination { total } } }';
const RULES = `query { acceptanceRules(page: 1, limit: 20) { nodes {
  id slug tier version precision threshold judged right accepted audited auditedRight unjudged isPaused brokenAt doubtful undoneAt } } }`;
const REPORT = `query ($precision: Float = 0.95) { acceptanceReport(modelType: "budget-v1", precision: $precision) {
  open curve { precision accepted remaining } attributes { slug open accepted judged threshold isPooled reviewsNeeded } } }`;
const SET = 'mutation ($input: AutoAcceptDefault!) { setAutoAcceptDefault(input: $input) { precision auditShare } }';
const UNDO = 'mutation ($ids: [ID!]!, $since: DateTime) { undoAcceptances(ruleIds: $ids, since: $since) { undone hasMore } }';

interface Found {
  slug?: string;
  value?: string;
  score?: number;
}

/** An organization with judged values, and jobs whose items complete in this process. */
async function seedOrganization(precision: number | null = 0.9, auditShare = 0.01) {
  const { id: organizationId, key } = await graph.seed();
  const scope = detached({ organizationId, services: graph.services });
  const { ask, refusal } = graph.caller(key);
  await ask(SET, { input: { precision, auditShare } });

  /** Values that people judged, with one score. */
  const judge = (count: number, right: number, { slug = 'color', score = 80, kind = 'review' } = {}) =>
    pool.query(
      `insert into catalog.confidence_labels (item_id, slug, organization_id, tier, stated, confidence, score, is_right, kind)
       select gen_random_uuid(), $2, $1, 'budget-v1', 90, 90, $5, n <= $4::int, $6 from generate_series(1, $3::int) n`,
      [organizationId, slug, count, right, score, kind],
    );

  async function startJob(options: Partial<Pick<Job, 'autoAccept'>> = {}) {
    const jobId = randomUUID();
    await pool.query(
      `insert into catalog.jobs (id, organization_id, kind, status, model_type, total_count, created_by_id, auto_accept)
       values ($1, $2, 'product-enrichment', 'processing', 'budget-v1', $3, $1, $4)`,
      [jobId, organizationId, ITEMS, options.autoAccept ?? null],
    );
    await pool.query(
      `with made as (insert into catalog.products (id, organization_id, sku, name)
         select gen_random_uuid(), $2, $1 || '-' || n, 'Lamp ' || n from generate_series(1, $3::int) n returning id)
       insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, status, product_id)
       select gen_random_uuid(), $2, $1::uuid, row_number() over (), row_number() over (), 'processing', id from made`,
      [jobId, organizationId, ITEMS],
    );
    const [job] = await readRows(scope, Job, { where: { id: jobId } });
    const items = await readRows(scope, JobItem, { where: { jobId }, orderBy: { turn: 'asc' } });
    const complete = (item: JobItem, { slug = 'color', value = 'red', score = 80 }: Found = {}) => {
      const product = { id: item.productId, attributes: {} } as Product;
      const attribute = Object.assign(new Attribute(), { slug, name: slug, type: 'text', options: [], constraints: {} });
      const origin = { confidence: 90, score, sourceKind: 'text', sourceUrl: null, snippet: value, contentHash: null };
      const outcome = outcomeOf(
        { job: job!, item, product },
        { model: 'm', values: [{ attribute, type: 'text', value, origin }], images: [] },
      );
      return completeItem(scope, job!, { item, cost: 1, outcome });
    };
    return { jobId, items, complete };
  }

  /** Completes all items of a new job, and returns the values that rules accepted and those that wait. */
  async function enrich(found: Found = {}, options = {}) {
    const job = await startJob(options);
    await Promise.all(job.items.map((item) => job.complete(item, found)));
    return { ...job, ...(await proposalsOf(job.jobId)) };
  }

  async function proposalsOf(jobId: string) {
    const { rows } = await pool.query(
      'select item_id as "itemId", verdict, rule_id as "ruleId", audit_rule_id as "auditRuleId" from catalog.proposals where job_id = $1 order by 1',
      [jobId],
    );
    const accepted = rows.filter(({ verdict, ruleId }) => verdict === 'accept' && ruleId);
    const audited = rows.filter(({ verdict, auditRuleId }) => verdict === null && auditRuleId);
    return { accepted, audited, waiting: rows.filter(({ verdict }) => verdict === null) };
  }
  const decide = (itemId: string, verdict: string, slug = 'color') =>
    ask(REVIEW, { itemId, decisions: [{ slug, verdict, overrule: false }] });
  const rules = async () => (await ask(RULES)).acceptanceRules.nodes;
  const report = async (wanted?: number) => (await ask(REPORT, { precision: wanted ?? 0.95 })).acceptanceReport;
  return { organizationId, scope, ask, refusal, judge, startJob, enrich, proposalsOf, decide, rules, report };
}

const originOf = async (productId: string) =>
  (await pool.query(`select provenance -> 'color' as origin from catalog.products where id = $1`, [productId])).rows[0].origin;

test('values are accepted where judged values prove the precision, and say by which rule', async () => {
  const { judge, enrich, rules, ask } = await seedOrganization(0.9, 0.25);
  await judge(130, 129);
  const { accepted, audited, waiting, items } = await enrich();
  expect(accepted.length + audited.length).toBe(ITEMS);
  expect(audited.length).toBeGreaterThan(0);
  expect(waiting).toEqual(audited);
  const [rule, ...others] = await rules();
  expect(others).toEqual([]);
  expect(rule).toMatchObject({
    ...{ slug: 'color', tier: 'budget-v1', version: 1, precision: 0.9, threshold: 80, judged: 130, right: 129 },
    ...{ accepted: accepted.length, audited: 0, brokenAt: null, doubtful: 0 },
  });
  const productOf = (itemId: string) => items.find(({ id }) => id === itemId)!.productId!;
  const acceptedBy = { ruleId: rule.id, version: 1, precision: 0.9, threshold: 80 };
  expect(await originOf(productOf(accepted[0].itemId))).toMatchObject({ acceptedBy, snippet: 'red' });
  // A reviewer cannot tell an audited value from another one.
  const origin = await originOf(productOf(audited[0].itemId));
  expect(JSON.stringify(origin)).not.toContain(rule.id);
  expect((await ask(QUEUE)).reviewQueue.pagination.total).toBe(audited.length);
});

test('lower scores, too few judgments and values that are too often wrong wait for a person', async () => {
  const { judge, enrich } = await seedOrganization();
  expect((await enrich()).accepted).toEqual([]);
  await judge(20, 20);
  expect((await enrich()).accepted).toEqual([]);
  await judge(80, 80);
  expect((await enrich({ score: 79 })).accepted).toEqual([]);
  expect((await enrich({ score: 81 })).accepted.length).toBeGreaterThan(0);
  await judge(60, 20);
  expect((await enrich()).accepted).toEqual([]);
});

test('bulk acceptances, right edits and validations prove nothing, and wrong edits count', async () => {
  const { judge, enrich, report } = await seedOrganization();
  await judge(500, 500, { kind: 'bulk' });
  await judge(500, 500, { kind: 'edit' });
  await judge(500, 500, { kind: 'validation' });
  expect((await enrich()).accepted).toEqual([]);
  expect((await report(0.9)).attributes).toMatchObject([
    { slug: 'color', judged: 0, threshold: null, reviewsNeeded: expect.any(Number) },
  ]);
  await judge(60, 60);
  expect((await enrich()).accepted.length).toBeGreaterThan(0);
  await judge(10, 0, { kind: 'edit' });
  expect((await enrich()).accepted).toEqual([]);
});

test('the same value of a product counts as one judgment, however many jobs wrote it', async () => {
  const { startJob, decide, report } = await seedOrganization(null);
  const [first, second] = [await startJob(), await startJob()];
  await pool.query(
    `update catalog.job_items s set product_id = f.product_id from catalog.job_items f
      where f.job_id = $1 and s.job_id = $2 and f.ordinal = s.ordinal`,
    [first.jobId, second.jobId],
  );
  for (const [at, item] of second.items.entries()) item.productId = first.items[at]!.productId;
  const review = async (job: typeof first, verdict: string) => {
    for (const { id } of job.items.slice(0, 5)) await decide(id, verdict);
  };
  for (const item of first.items) await first.complete(item);
  await review(first, 'reject');
  for (const item of second.items) await second.complete(item);
  const judged = async () => (await report()).attributes[0].judged;
  expect(await judged()).toBe(5);
  await review(second, 'reject');
  expect(await judged()).toBe(5);
  for (const item of second.items.slice(5, 8)) await decide(item.id, 'accept');
  expect(await judged()).toBe(8);
});

test('attributes with few judgments share a rule, which an attribute without any does not use', async () => {
  const { judge, enrich, rules, report } = await seedOrganization();
  for (const slug of ['color', 'size', 'shape']) await judge(40, 40, { slug });
  expect((await enrich()).accepted.length).toBeGreaterThan(0);
  expect(await rules()).toMatchObject([{ slug: null, judged: 120 }]);
  expect((await enrich({ slug: 'style' })).accepted).toEqual([]);
  const { attributes } = await report(0.9);
  const of = (slug: string) => attributes.find((each: { slug: string }) => each.slug === slug);
  expect(of('color')).toMatchObject({ isPooled: true, judged: 40, threshold: 80, reviewsNeeded: 0 });
  expect(of('style')).toMatchObject({ isPooled: true, judged: 0, threshold: null, reviewsNeeded: ITEMS });
});

test('a change of the audited share keeps the precision, and null removes it', async () => {
  const { ask } = await seedOrganization(0.9, 0.05);
  const set = async (input: object) => (await ask(SET, { input })).setAutoAcceptDefault;
  expect(await set({ auditShare: 0.2 })).toEqual({ precision: 0.9, auditShare: 0.2 });
  expect(await set({ precision: 0.98 })).toEqual({ precision: 0.98, auditShare: 0.2 });
  expect(await set({ precision: null })).toEqual({ precision: null, auditShare: 0.2 });
});

test('the most specific precision applies: of the job, the attribute, its set, or the organization', async () => {
  const { judge, enrich, ask, refusal } = await seedOrganization(1);
  await judge(130, 129);
  expect((await enrich()).accepted).toEqual([]);
  expect((await enrich({}, { autoAccept: 0.9 })).accepted.length).toBeGreaterThan(0);
  const create = 'mutation { createAttribute(input: { subject: product, name: "Color", slug: "color", type: text }) { id } }';
  const { id: attributeId } = (await ask(create)).createAttribute;
  await ask(SET, { input: { attributeId, precision: 0.9 } });
  expect((await enrich()).accepted.length).toBeGreaterThan(0);
  expect((await enrich({}, { autoAccept: 0.99 })).accepted).toEqual([]);
  expect(await refusal(SET, { input: { attributeId: randomUUID(), precision: 0.9 } })).toMatch(/^NOT_FOUND/);
  expect(await refusal(SET, { input: { attributeId, precision: 0.9, auditShare: 0.1 } })).toMatch(/^INVALID_INPUT/);
});

test('the replacement of a value that a person wrote is never accepted by a rule', async () => {
  const { judge, startJob, proposalsOf } = await seedOrganization();
  await judge(130, 129);
  const { jobId, items, complete } = await startJob();
  const own = { color: { attributeId: null, attributeName: 'Color', attributeType: 'text', value: 'blue' } };
  await pool.query('update catalog.products set attributes = $2 where id = $1', [items[0]!.productId, own]);
  await complete(items[0]!);
  // An open value of an earlier job in between does not hide the value of the person.
  const { accepted, waiting } = await proposalsOf(jobId);
  expect([accepted.length, waiting.length]).toEqual([0, 1]);
});

test('a value that a person rejected is never accepted by a rule, unlike another value', async () => {
  const { judge, enrich, startJob, decide, proposalsOf } = await seedOrganization();
  const first = await enrich();
  const [rejected, other] = first.items as [JobItem, JobItem];
  for (const { id } of [rejected, other]) await decide(id, 'reject');
  await judge(300, 299);
  const second = await startJob();
  const [same, another] = second.items as [JobItem, JobItem];
  for (const [item, { productId }] of [
    [same, rejected],
    [another, other],
  ] as const) {
    item.productId = productId;
    await pool.query('update catalog.job_items set product_id = $1 where id = $2', [productId, item.id]);
  }
  await second.complete(same);
  await second.complete(another, { value: 'blue' });
  const { waiting } = await proposalsOf(second.jobId);
  // An audit would wait, too.
  expect(waiting.filter(({ auditRuleId }) => auditRuleId === null).map(({ itemId }) => itemId)).toEqual([same.id]);
});

test('an item that runs again makes the same decision', async () => {
  const { judge, startJob, proposalsOf, organizationId } = await seedOrganization(0.9, 0.5);
  await judge(130, 129);
  const { jobId, items, complete } = await startJob();
  await Promise.all(items.map((item) => complete(item)));
  const first = await proposalsOf(jobId);
  expect(Math.abs(first.audited.length - ITEMS / 2)).toBeLessThan(ITEMS / 2);
  // As if the process had died before the commit.
  await pool.query(`delete from catalog.proposals where job_id = $1`, [jobId]);
  await pool.query('delete from catalog.enrichment_history where organization_id = $1', [organizationId]);
  await pool.query('delete from catalog.item_sources where job_id = $1', [jobId]);
  await pool.query(`update catalog.job_items set status = 'processing' where job_id = $1`, [jobId]);
  await pool.query(`update catalog.products set attributes = '{}', provenance = '{}' where id = any($1)`, [
    items.map(({ productId }) => productId),
  ]);
  await Promise.all(items.map((item) => complete(item)));
  expect(await proposalsOf(jobId)).toEqual(first);
  await Promise.all(items.map((item) => complete(item)));
  expect(await proposalsOf(jobId)).toEqual(first);
});

test('audits that find wrong values break the rule, and later judgments can prove it again', async () => {
  const { judge, enrich, rules, decide, ask, organizationId } = await seedOrganization(0.9, 0.5);
  await pool.query(
    `insert into webhooks.subscriptions (id, organization_id, surface, url, method, events)
     values (gen_random_uuid(), $1, 'catalog', 'https://example.com', 'post', '{acceptance.stopped}')`,
    [organizationId],
  );
  await judge(130, 129);
  const { jobId, audited, accepted } = await enrich();
  // Some may be accepted before the first audit is written. These would not be in doubt.
  await pool.query('update catalog.proposals set reviewed_at = now() where job_id = $1 and rule_id is not null', [jobId]);
  for (const { itemId } of audited) {
    await decide(itemId, 'reject');
    if ((await rules())[0].brokenAt) break;
  }
  const [rule] = await rules();
  expect(rule).toMatchObject({ brokenAt: expect.any(String), auditedRight: 0, doubtful: accepted.length });
  expect(rule.audited).toBeLessThan(6);
  expect((await enrich()).accepted).toEqual([]);
  const { rows } = await pool.query(
    `select action, fields, actor from identity.audit_entries where organization_id = $1 and subject_id = $2`,
    [organizationId, rule.id],
  );
  expect(rows).toMatchObject([{ action: 'updated', fields: ['broken_at', 'broken_since'] }]);
  const events = await pool.query('select payload from webhooks.events where organization_id = $1', [organizationId]);
  const { audited: count, brokenAt } = rule;
  const figures = { audited: count, right: 0, stoppedAt: brokenAt };
  expect(events.rows.map(({ payload }) => JSON.parse(payload))).toEqual([
    { attribute: 'color', modelType: 'budget-v1', ...figures },
  ]);
  expect((await ask(UNDO, { ids: [rule.id] })).undoAcceptances).toEqual({ undone: accepted.length, hasMore: false });
  expect((await rules())[0]).toMatchObject({ doubtful: 0, accepted: 0, undoneAt: expect.any(String) });
  await judge(200, 200);
  const later = await enrich();
  expect(later.accepted.length).toBeGreaterThan(0);
  // The audits that broke the first version say nothing about the second one.
  for (const { itemId } of later.audited) await decide(itemId, 'accept');
  expect((await rules())[0]).toMatchObject({ version: 2, brokenAt: null, auditedRight: later.audited.length });
});

test('an audited value that somebody corrects on its product counts as wrong, and one that is sent again does not count', async () => {
  const { judge, enrich, rules, ask } = await seedOrganization(0.9, 0.5);
  await judge(130, 129);
  const { audited, items } = await enrich();
  const productOf = (itemId: string) => items.find(({ id }) => id === itemId)!.productId!;
  const write = (itemId: string, value: string) =>
    ask('mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }', {
      id: productOf(itemId),
      attributes: { color: { attributeId: null, attributeName: 'color', attributeType: 'text', value } },
    });
  await write(audited[0].itemId, 'red');
  expect((await rules())[0]).toMatchObject({ audited: 0, unjudged: audited.length });
  await write(audited[1].itemId, 'blue');
  expect((await rules())[0]).toMatchObject({ audited: 1, auditedRight: 0, unjudged: audited.length - 1 });
  for (const { itemId } of audited.slice(2)) {
    await write(itemId, 'blue');
    if ((await rules())[0].brokenAt) break;
  }
  expect((await rules())[0]).toMatchObject({ brokenAt: expect.any(String), unjudged: 0 });
});

test('a rule whose audits nobody judges accepts nothing until people judge some', async () => {
  const { judge, enrich, rules, decide, ask } = await seedOrganization(0.9, 0.5);
  await judge(500, 500);
  const audited = [];
  for (let paused = false; !paused; paused = (await rules())[0].isPaused) audited.push(...(await enrich()).audited);
  expect(audited.length).toBeGreaterThanOrEqual(50);
  const idle = await enrich();
  expect([idle.accepted, idle.audited]).toEqual([[], []]);
  // Nobody may have looked at values that were accepted in bulk.
  await ask('mutation { reviewMatching(filter: { attribute: "color" }, verdict: accept, limit: 500) { decided } }');
  expect((await rules())[0]).toMatchObject({ isPaused: true, audited: 0, unjudged: 50 });
  const UNDO_REVIEW = 'mutation ($values: [ReviewedValueInput!]!) { undoReviews(values: $values) { decided } }';
  await ask(UNDO_REVIEW, { values: audited.map(({ itemId }) => ({ itemId, slug: 'color' })) });
  for (const { itemId } of audited.slice(0, -10)) await decide(itemId, 'accept');
  expect((await rules())[0]).toMatchObject({ isPaused: false, unjudged: 10 });
  expect((await enrich()).accepted.length).toBeGreaterThan(0);
});

test('a job that proves another threshold while audits break the rule leaves no version that goes on', async () => {
  const { judge, startJob, rules, organizationId, proposalsOf } = await seedOrganization();
  await judge(130, 129);
  const { items, complete } = await startJob();
  await complete(items[0]!);
  await judge(300, 300, { score: 60 });
  const { jobId, ...later } = await startJob();
  // The break of another transaction, which holds the lock of a break.
  await duringTransaction(
    async (rival) => {
      await rival.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`acceptance rules of ${organizationId}`]);
      await rival.query('update catalog.acceptance_rules set broken_at = now(), broken_since = now() where organization_id = $1', [
        organizationId,
      ]);
    },
    () => later.complete(later.items[0]!, { score: 60 }),
    undefined,
    pool,
  );
  expect(await rules()).toMatchObject([{ version: 1, brokenAt: expect.any(String) }]);
  expect((await proposalsOf(jobId)).accepted).toEqual([]);
});

test('an upsert or edit that sends a reviewed value again keeps the review, and an undone bulk review proves nothing', async () => {
  const { enrich, decide, ask, report } = await seedOrganization(null);
  const { items } = await enrich();
  const [first, second] = items;
  await decide(first!.id, 'accept');
  const attributes = { color: { attributeId: null, attributeName: 'color', attributeType: 'text', value: 'red' } };
  const EDIT =
    'mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }';
  await ask(EDIT, { id: first!.productId, attributes });
  expect((await report()).attributes).toMatchObject([{ judged: 1 }]);
  const rest = 'mutation { reviewMatching(filter: { attribute: "color" }, verdict: reject, limit: 500) { decided } }';
  await ask(rest);
  expect((await report()).attributes).toMatchObject([{ judged: ITEMS }]);
  const UNDO_REVIEW = 'mutation ($values: [ReviewedValueInput!]!) { undoReviews(values: $values) { decided } }';
  await ask(UNDO_REVIEW, { values: [{ itemId: second!.id, slug: 'color' }] });
  expect((await report()).attributes).toMatchObject([{ judged: ITEMS - 1 }]);
});

test('undoing a review puts a value that a rule accepted back into the queue', async () => {
  const { judge, enrich, ask, rules } = await seedOrganization();
  await judge(130, 129);
  const { accepted, items } = await enrich();
  const { itemId } = accepted[0];
  const UNDO_REVIEW = 'mutation ($values: [ReviewedValueInput!]!) { undoReviews(values: $values) { decided } }';
  expect((await ask(UNDO_REVIEW, { values: [{ itemId, slug: 'color' }] })).undoReviews).toEqual({ decided: 1 });
  expect((await rules())[0]).toMatchObject({ accepted: accepted.length - 1 });
  expect(await originOf(items.find(({ id }) => id === itemId)!.productId!)).not.toHaveProperty('acceptedBy');
});

test('undoing a rule puts its values back, but none that somebody decided or changed', async () => {
  const { judge, enrich, rules, decide, ask, refusal } = await seedOrganization();
  await judge(130, 129);
  const { accepted, items } = await enrich();
  const [first, second, third] = accepted;
  await decide(first.itemId, 'accept');
  await decide(second.itemId, 'reject');
  const productOf = (itemId: string) => items.find(({ id }) => id === itemId)!.productId!;
  await pool.query(`update catalog.products set provenance = '{}' where id = $1`, [productOf(third.itemId)]);
  const [rule] = await rules();
  const before = (await ask(QUEUE)).reviewQueue.pagination.total;
  expect((await ask(UNDO, { ids: [rule.id], since: new Date(Date.now() + 3_600_000) })).undoAcceptances).toEqual({
    undone: 0,
    hasMore: false,
  });
  expect((await ask(UNDO, { ids: [rule.id] })).undoAcceptances).toEqual({ undone: accepted.length - 3, hasMore: false });
  expect((await ask(QUEUE)).reviewQueue.pagination.total).toBe(before + accepted.length - 3);
  expect(await originOf(productOf(accepted[5].itemId))).not.toHaveProperty('acceptedBy');
  expect(await originOf(productOf(first.itemId))).toHaveProperty('reviewedAt');
  await decide(accepted[5].itemId, 'reject');
  expect(await refusal(UNDO, { ids: [randomUUID()] })).toMatch(/^NOT_FOUND/);
});

test('a review that commits while the acceptances of its rule are undone stays', async () => {
  const { judge, enrich, rules, ask, decide } = await seedOrganization();
  await judge(130, 129);
  const { accepted, items } = await enrich();
  const { itemId } = accepted[0];
  const productId = items.find(({ id }) => id === itemId)!.productId!;
  const [rule] = await rules();
  const lock = 'select 1 from catalog.products where id = $1 for update';
  await duringTransaction(
    (rival) => rival.query(lock, [productId]),
    () => Promise.all([decide(itemId, 'reject'), ask(UNDO, { ids: [rule.id] })]),
    undefined,
    pool,
  );
  const { rows } = await pool.query('select verdict, rule_id from catalog.proposals where item_id = $1', [itemId]);
  expect(rows).toEqual([{ verdict: 'reject', rule_id: null }]);
});

test('another organization neither follows nor sees nor undoes the rules', async () => {
  const owner = await seedOrganization();
  await owner.judge(130, 129);
  expect((await owner.enrich()).accepted.length).toBeGreaterThan(0);
  const [rule] = await owner.rules();
  const other = await seedOrganization();
  expect((await other.enrich()).accepted).toEqual([]);
  expect(await other.rules()).toEqual([]);
  expect(await other.refusal(UNDO, { ids: [rule.id] })).toMatch(/^NOT_FOUND/);
  expect((await other.report()).attributes).toMatchObject([{ slug: 'color', judged: 0 }]);
});

test('the report and the order of learning read a bounded number of rows among 60,000 open values', async () => {
  const { judge, ask, report, organizationId } = await seedOrganization();
  await judge(300, 295, { score: 60 });
  await judge(300, 200, { score: 40 });
  await judge(60, 60, { score: 90 });
  // Without the triggers, which would count for minutes.
  await pool.query(`
    begin;
    set local session_replication_role = replica;
    set local statement_timeout = 0;
    insert into catalog.proposals (item_id, slug, organization_id, job_id, product_id, confidence, tier, score, proposed)
    select gen_random_uuid(), (array['color', 'size', 'shape', 'style'])[1 + n % 4], '${organizationId}', '${organizationId}', gen_random_uuid(), 50,
           'budget-v1', n % 101, '{"attributeName": "A", "attributeType": "text", "value": "a"}' from generate_series(1, 60000) n;
    insert into catalog.counters (organization_id, kind, key, slot, count)
    select organization_id, kind, concat_ws(' ', tier, score, slug), 0, count(*)
      from catalog.proposals cross join unnest(array['open', 'written']) as kind where organization_id = '${organizationId}' group by 1, 2, 3;
    commit`);
  await pool.query('analyze catalog.proposals; analyze catalog.counters');
  const read = await report(0.9);
  expect(read.open).toBe(60_000);
  const point = read.curve.find((each: { precision: number }) => each.precision === 0.9);
  expect(point.accepted + point.remaining).toBe(60_000);
  expect(point.accepted).toBeGreaterThan(0);
  expect((await readBy(pool, () => report(0.9))).rows).toBeLessThan(10_000);
  const LEARN = 'query { learningQueue(modelType: "budget-v1", precision: 0.9, limit: 20) { itemId slug } }';
  const { learningQueue } = await ask(LEARN);
  expect(learningQueue).toHaveLength(20);
  const { rows } = await pool.query('select slug, score from catalog.proposals where item_id = any($1)', [
    learningQueue.map(({ itemId }: { itemId: string }) => itemId),
  ]);
  expect(rows.filter(({ slug }) => slug === 'color').every(({ score }) => Math.abs(score - 60) <= 1)).toBe(true);
  expect((await readBy(pool, () => ask(LEARN))).rows).toBeLessThan(10_000);
});
