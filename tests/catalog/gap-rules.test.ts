import { detached } from '../../platform/scope/index.ts';
import { attributesOfJob } from '../../subgraphs/catalog/attributes/service.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { checkRule, fillGaps } from '../../subgraphs/catalog/gap-rules/fill-gaps.ts';
import { failItem, finish } from '../../subgraphs/catalog/jobs/engine.ts';
import { Job } from '../../subgraphs/catalog/jobs/entity.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { readBy } from '../support/scanned-rows.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

const RULE = 'id name paused haltedBy isScanning spent maxCredits runs { gaps gapsLeft job { id status totalCount } }';
const CREATE = `mutation ($input: GapRuleInput!) { createGapRule(input: $input) { ${RULE} } }`;
const UPDATE = `mutation ($id: ID!, $input: GapRuleInput!) { updateGapRule(id: $id, input: $input) { ${RULE} } }`;
const READ = `query ($id: ID!) { gapRule(id: $id) { ${RULE} } }`;
const ESTIMATE = 'query ($input: GapRuleInput!) { gapEstimate(input: $input) { products gaps credits checked isComplete } }';
const PAUSE = `mutation ($id: ID!, $paused: Boolean!) { pauseGapRule(id: $id, paused: $paused) { ${RULE} } }`;
const RUN = `mutation ($id: ID!) { runGapRule(id: $id) { ${RULE} } }`;

interface Product {
  category?: string;
  isParent?: boolean;
  parent?: string;
  values?: Record<string, string>;
}

/** An organization with the attributes color and weight. Jobs of its rules end as the test says. */
async function open({ credits = 1_000 } = {}) {
  const { id: organizationId, key } = await graph.seed({ credits });
  const { ask, refusal } = graph.caller(key);
  const scope = () => detached({ organizationId, services: graph.services });
  const attributes: Record<string, string> = {};
  for (const slug of ['color', 'weight'])
    attributes[slug] = (
      await ask('mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }', {
        input: { slug, name: slug, type: 'text', subject: 'product' },
      })
    ).createAttribute.id;
  const products = new Map<string, string>();
  const inputOf = (more: object = {}) => ({
    ...{ name: 'Lamps', selection: {}, modelType: 'budget-v1', websearch: false, agreement: false },
    ...{ maxCredits: 100, triggers: ['product-changed', 'attributes-changed'] },
    ...more,
  });
  const skusOf = async (jobId: string) =>
    (
      await pool.query<{ sku: string }>(
        'select sku from catalog.job_items i join catalog.products p on p.id = i.product_id where job_id = $1 order by ordinal',
        [jobId],
      )
    ).rows.map(({ sku }) => sku);
  const itemOf = async (id: string, sku: string): Promise<string> => {
    const { rows } = await pool.query<{ id: string }>(
      `select i.id from catalog.jobs j join catalog.job_items i on i.job_id = j.id where j.gap_rule_id = $1 and i.product_id = $2 and i.status = 'pending'`,
      [id, products.get(sku)],
    );
    await pool.query(`update catalog.jobs set status = 'processing' where gap_rule_id = $1 and status = 'pending'`, [id]);
    return rows[0]!.id;
  };
  const write = (sku: string, values: Record<string, string>) =>
    pool.query('update catalog.products set attributes = attributes || $2, updated_at = now() where id = $1', [
      products.get(sku),
      Object.fromEntries(Object.entries(values).map(([slug, value]) => [slug, { attributeType: 'text', value }])),
    ]);
  return {
    ask,
    organizationId,
    refusal,
    attributes,
    inputOf,
    write,
    async add(sku: string, { category, isParent, parent, values = {} }: Product = {}) {
      const { createProduct } = await ask('mutation ($input: NewProduct!) { createProduct(input: $input) { id } }', {
        input: { sku, name: sku, category, isParent, parentId: parent && products.get(parent) },
      });
      products.set(sku, createProduct.id);
      await write(sku, values);
    },
    change: (sku: string, input: object) =>
      ask('mutation ($id: ID!, $input: ProductChange!) { updateProduct(id: $id, input: $input) { id } }', {
        id: products.get(sku),
        input,
      }),
    create: async (more: object = {}): Promise<string> => (await ask(CREATE, { input: inputOf(more) })).createGapRule.id,
    read: async (id: string) => (await ask(READ, { id })).gapRule,
    /** Check a rule, and return the SKUs of the job that it starts. */
    async check(id: string): Promise<string[]> {
      const before = (await ask(READ, { id })).gapRule.runs.length;
      await checkRule(scope(), id);
      const { runs } = (await ask(READ, { id })).gapRule;
      return runs.length > before ? skusOf(runs[0].job.id) : [];
    },
    /** End the open job of a rule. */
    async end(id: string, status = 'completed') {
      const { rows } = await pool.query<{ id: string }>(
        `update catalog.jobs set status = $2, completed_at = now(), processed_count = total_count, success_count = total_count, cost = total_count
          where gap_rule_id = $1 and completed_at is null returning id`,
        [id, status],
      );
      await pool.query(
        `update catalog.job_items set status = case when $2 = 'completed' then 'completed' else 'failed' end,
                gap_inputs = case when $2 = 'completed' then gap_inputs end where job_id = $1`,
        [rows[0]!.id, status],
      );
    },
    /** Let the item of a product fail because of its sources. */
    failedAsUnreadable: async (id: string, sku: string) => failItem(scope(), await itemOf(id, sku), 'No source', { wasRead: true }),
    /** Let all other items of the open job fail, as when the model provider is away. */
    async fail(id: string) {
      const { rows } = await pool.query<{ id: string; job: string }>(
        `select i.id, j.id as job from catalog.jobs j join catalog.job_items i on i.job_id = j.id where j.gap_rule_id = $1 and i.status = 'pending'`,
        [id],
      );
      for (const item of rows) await failItem(scope(), item.id, 'The model provider is away');
      await finish(scope(), rows[0]!.job);
    },
    /** The slugs of the attributes that the open job of a rule fills in. */
    async slugsOf(id: string) {
      const job = await scope().em.findOneOrFail(Job, { gapRuleId: id, completedAt: null });
      return (await attributesOfJob(scope(), job)).map(({ slug }) => slug);
    },
    addCredits: (amount: number) =>
      pool.query('update identity.organizations set credits = credits + $2 where id = $1', [organizationId, amount]),
  };
}

test('a rule starts a job for the products of its filter that lack a value', async () => {
  const { add, create, check, read, end } = await open();
  await add('full', { category: 'Lamps', values: { color: 'red', weight: '1 kg' } });
  await add('half', { category: 'Lamps', values: { color: 'red' } });
  await add('none', { category: 'Lamps' });
  await add('chair', { category: 'Chairs' });
  const id = await create({ selection: { category: 'lamps' } });
  expect(await check(id)).toEqual(['half', 'none']);
  expect(await read(id)).toMatchObject({
    haltedBy: null,
    paused: false,
    spent: 2,
    runs: [{ gaps: 3, gapsLeft: null, job: { status: 'pending', totalCount: 2 } }],
  });
  const { rows } = await pool.query('select overwrite, attribute_ids from catalog.jobs where gap_rule_id = $1', [id]);
  expect(rows).toEqual([{ overwrite: 'empty', attribute_ids: null }]);
  // While its job is open, it starts no other one.
  await add('late', { category: 'Lamps' });
  expect(await check(id)).toEqual([]);
  await end(id);
  expect(await check(id)).toEqual(['late']);
});

test('the same gap is tried once, and again when the product or the attribute changes', async () => {
  const { add, create, check, end, write, change, ask, attributes, read } = await open();
  await add('a');
  await add('b');
  const id = await create({ attributeIds: [attributes.color] });
  expect(await check(id)).toEqual(['a', 'b']);
  await write('a', { color: 'red' });
  await end(id);
  expect(await check(id)).toEqual([]);
  expect((await read(id)).runs[0]).toMatchObject({ gaps: 2, gapsLeft: 1 });
  // A value of another attribute is nothing new to read.
  await write('b', { weight: '2 kg' });
  expect(await check(id)).toEqual([]);
  await ask(RUN, { id });
  expect(await check(id)).toEqual([]);
  await change('b', { name: 'Lamp, blue' });
  expect(await check(id)).toEqual(['b']);
  await end(id);
  await ask('mutation ($id: ID!) { updateAttribute(id: $id, input: { prompt: "The color of the shade" }) { id } }', {
    id: attributes.color,
  });
  expect(await check(id)).toEqual(['b']);
  await end(id);
  expect(await check(id)).toEqual([]);
});

test('two rules for the same gaps try them once, unless their options differ', async () => {
  const { add, create, check, end } = await open();
  await add('a');
  const [first, second, third] = [await create(), await create({ name: 'Again' }), await create({ name: 'Web', websearch: true })];
  expect(await check(first)).toEqual(['a']);
  expect(await check(second)).toEqual([]);
  await end(first);
  expect(await check(second)).toEqual([]);
  expect(await check(third)).toEqual(['a']);
});

test('a rule that only runs each night leaves changes to its next full check', async () => {
  const { add, create, check, end } = await open();
  await add('a');
  const id = await create({ triggers: ['nightly'] });
  expect(await check(id)).toEqual(['a']);
  await end(id);
  await add('b');
  expect(await check(id)).toEqual([]);
  await pool.query('update catalog.gap_rules set scanned_day = scanned_day - 1 where id = $1', [id]);
  expect(await check(id)).toEqual(['b']);
});

test('jobs stay below the ceiling of the month and the credits of the organization, and continue where they stopped', async () => {
  const { add, create, check, end, read, ask, inputOf, addCredits } = await open({ credits: 3 });
  for (const sku of ['a', 'b', 'c', 'd', 'e']) await add(sku);
  const id = await create({ maxCredits: 2 });
  expect(await check(id)).toEqual(['a', 'b']);
  await end(id);
  expect(await check(id)).toEqual([]);
  expect(await read(id)).toMatchObject({ haltedBy: 'ceiling', paused: false, spent: 2 });
  await ask(UPDATE, { id, input: inputOf({ maxCredits: 100 }) });
  expect(await check(id)).toEqual(['c', 'd', 'e']);
  await end(id);
  await add('f');
  await addCredits(-3);
  expect(await check(id)).toEqual([]);
  expect(await read(id)).toMatchObject({ haltedBy: 'credits', paused: false });
  await addCredits(1);
  expect(await check(id)).toEqual(['f']);
  expect(await read(id)).toMatchObject({ haltedBy: null });
});

test('a stopped job pauses its rule, and its products that nobody read are tried when the rule continues', async () => {
  const { add, create, check, end, read, ask, refusal } = await open();
  await add('a');
  const id = await create();
  await check(id);
  await end(id, 'stopped');
  expect(await check(id)).toEqual([]);
  expect(await read(id)).toMatchObject({ paused: true, haltedBy: 'job-stopped' });
  expect(await check(id)).toEqual([]);
  expect(await refusal(RUN, { id })).toBe('UNPROCESSABLE: The rule is paused. Continue it, and it checks all products.');
  expect((await ask(PAUSE, { id, paused: false })).pauseGapRule).toMatchObject({ paused: false, haltedBy: null });
  expect(await check(id)).toEqual(['a']);
});

test('checks at the same time start one job, and a failing rule does not stop the others', async () => {
  const { add, create, read } = await open();
  await add('a');
  const [id, other] = [await create(), await create({ name: 'Broken' })];
  // No caller can store this.
  await pool.query(`update catalog.gap_rules set selection = '{"words": 5}' where id = $1`, [other]);
  await Promise.all([fillGaps(graph.services), fillGaps(graph.services), fillGaps(graph.services)]);
  expect((await read(id)).runs).toHaveLength(1);
  expect(await read(other)).toMatchObject({ runs: [], paused: false, haltedBy: 'check-failed' });
});

test('a rule works with the attributes that are left, and says when there are none', async () => {
  const { add, create, check, read, end, ask, inputOf, attributes, slugsOf } = await open();
  await add('a');
  const id = await create({ attributeIds: [attributes.color, attributes.weight] });
  const remove = (of: string) => ask('mutation ($id: ID!) { deleteAttribute(id: $id) { id } }', { id: attributes[of] });
  await remove('color');
  expect(await check(id)).toEqual(['a']);
  expect(await slugsOf(id)).toEqual(['weight']);
  await end(id);
  await remove('weight');
  expect(await check(id)).toEqual([]);
  expect(await read(id)).toMatchObject({ paused: true, haltedBy: 'no-attributes' });
  // A change of a rule that was paused for its attributes lets it continue.
  expect((await ask(UPDATE, { id, input: inputOf() })).updateGapRule).toMatchObject({ paused: false, haltedBy: null });
});

test('a rule that names attributes needs no set', async () => {
  const { add, create, check, ask, attributes, slugsOf } = await open();
  await add('a');
  const text = 'mutation ($ids: [ID!]!) { createAttributeSet(name: "Lamps", attributeIds: $ids) { id } }';
  const attributeSetId = (await ask(text, { ids: [attributes.weight] })).createAttributeSet.id;
  const id = await create({ attributeIds: [attributes.color], attributeSetId });
  await ask('mutation ($id: ID!) { deleteAttributeSet(id: $id) { id } }', { id: attributeSetId });
  expect(await check(id)).toEqual(['a']);
  expect(await slugsOf(id)).toEqual(['color']);
});

test('items that fail before they are read are tried again, and a job of such items pauses its rule', async () => {
  const { add, create, check, read, ask, fail, failedAsUnreadable } = await open();
  for (const sku of ['a', 'b', 'c']) await add(sku);
  const id = await create();
  expect(await check(id)).toEqual(['a', 'b', 'c']);
  await failedAsUnreadable(id, 'a');
  await fail(id);
  expect(await check(id)).toEqual([]);
  expect(await read(id)).toMatchObject({ paused: true, haltedBy: 'job-failed' });
  await ask(PAUSE, { id, paused: false });
  expect(await check(id)).toEqual(['b', 'c']);
});

test('a change of a variant makes its parent a product to look at', async () => {
  const { add, create, check, end, write } = await open();
  await add('parent', { isParent: true, values: { color: 'red' } });
  await add('variant', { parent: 'parent', values: { color: 'red', weight: '1 kg' } });
  const id = await create({ attributeIds: null, triggers: ['product-changed'] });
  expect(await check(id)).toEqual(['parent']);
  await end(id);
  expect(await check(id)).toEqual([]);
  await write('variant', { size: 'L' });
  expect(await check(id)).toEqual(['parent']);
});

test('a check of all products and an estimate look only at the products that a rule selects', async () => {
  const { add, ask, inputOf, create, check, organizationId } = await open();
  await add('lamp', { category: 'Lamps' });
  await pool.query(
    `insert into catalog.products (id, organization_id, sku, name, category)
     select gen_random_uuid(), $1, 'chair-' || n, 'Chair', 'Chairs' from generate_series(1, 3000) n`,
    [organizationId],
  );
  await add('desk lamp', { category: 'Lamps > Desk' });
  const selection = { category: 'Lamps' };
  await pool.query('analyze catalog.products');
  const { rows } = await readBy(pool, async () => {
    const { gapEstimate } = await ask(ESTIMATE, { input: inputOf({ selection }) });
    expect(gapEstimate).toMatchObject({ products: 2, gaps: 4, checked: 2, isComplete: true });
  });
  expect(rows).toBeLessThan(500);
  const id = await create({ selection });
  expect(await check(id)).toEqual(['lamp', 'desk lamp']);
});

test('a check reads the products that changed, however many changes were made before', async () => {
  const { add, create, check, read, organizationId } = await open();
  const id = await create({ triggers: ['product-changed'] });
  expect(await check(id)).toEqual([]);
  expect(await read(id)).toMatchObject({ isScanning: false });
  await pool.query(
    `insert into catalog.changes (record_id, organization_id, subject, deleted, at)
     select gen_random_uuid(), $1, 'product', false, now() - interval '1 hour' from generate_series(1, 6000)`,
    [organizationId],
  );
  await add('new');
  expect(await check(id)).toEqual(['new']);
});

test('an estimate says what a rule would read and cost, and starts nothing', async () => {
  const { add, ask, inputOf, create, check, end } = await open();
  await add('full', { values: { color: 'red', weight: '1 kg' } });
  await add('half', { values: { color: 'red' } });
  await add('none');
  const estimate = async () => (await ask(ESTIMATE, { input: inputOf({ modelType: 'pro-v1', agreement: true }) })).gapEstimate;
  expect(await estimate()).toEqual({ products: 2, gaps: 3, credits: 16, checked: 3, isComplete: true });
  const id = await create({ modelType: 'pro-v1', agreement: true });
  await check(id);
  await end(id);
  expect(await estimate()).toMatchObject({ products: 0, gaps: 0, credits: 0 });
});

test('bad input is refused, and nobody sees or changes rules of others', async () => {
  const [mine, theirs] = [await open(), await open()];
  const id = await mine.create();
  const refused = (more: object) => mine.refusal(CREATE, { input: mine.inputOf({ name: 'Other', ...more }) });
  const tooLow = 'INVALID_INPUT: maxCredits must pay for one product, which costs 8';
  expect(await refused({ modelType: 'pro-v1', agreement: true, maxCredits: 7 })).toBe(tooLow);
  expect(await refused({ agreement: true })).toBe('INVALID_INPUT: agreement needs the modelType pro-v1');
  expect(await refused({ attributeIds: [theirs.attributes.color] })).toBe('NOT_FOUND: Attribute not found');
  expect(await refused({ attributeSetId: id })).toBe('NOT_FOUND: Attribute set not found');
  for (const selection of [{ words: 5 }, { brand: 5 }, { category: ['Lamps'] }, { attributes: [{ slug: 'color', value: 5 }] }])
    expect(await refused({ selection })).toMatch(/cannot represent a non string value/);
  expect(await refused({ selection: { words: '\u0000' } })).toMatch(/^INVALID_INPUT: .*cannot be stored/);
  expect(await refused({ name: 'LAMPS' })).toBe('CONFLICT: A rule named LAMPS already exists.');
  const input = theirs.inputOf();
  for (const [text, variables] of [
    [READ, { id }],
    [UPDATE, { id, input }],
    [PAUSE, { id, paused: true }],
    [RUN, { id }],
    ['mutation ($id: ID!) { deleteGapRule(id: $id) { id } }', { id }],
  ] as const)
    expect(await theirs.refusal(text, variables)).toBe('NOT_FOUND: Rule not found');
  expect((await theirs.ask('{ gapRules { id } }')).gapRules).toEqual([]);
  expect((await mine.ask('{ gapRules { id spent } }')).gapRules).toEqual([{ id, spent: 0 }]);
});
