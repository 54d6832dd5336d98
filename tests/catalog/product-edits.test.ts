import { detached } from '../../platform/scope/index.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import * as engine from '../../subgraphs/catalog/jobs/engine.ts';
import { forgetEdits } from '../../subgraphs/catalog/product-edits/service.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { duringTransaction } from '../support/rival.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { unknownId } from './catalog.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());
const { pool } = graph.services;

type Input = Record<string, unknown>;

const JOB = `id status totalCount processedCount failedCount cost
  productEdit { products changed unchanged refused deleted undoOfId undoneById edits { field attribute action value } }`;
const PREVIEW = `query ($selection: ProductSelection!, $edits: [ProductEditInput!]!) { productEditPreview(selection: $selection, edits: $edits) {
  products checked changed unchanged refused
  changes { sku name changes { field attribute label before after } refusal } refusals { sku refusal changes { label } } } }`;
const CREATE = `mutation ($selection: ProductSelection!, $edits: [ProductEditInput!]!) {
  createProductEditJob(selection: $selection, edits: $edits) { ${JOB} } }`;
const UNDO = `mutation ($id: ID!) { undoProductEdit(jobId: $id) { ${JOB} } }`;
const ALL = { filter: {} };

/** An organization with attributes and products, and edits that run in this process. */
async function open() {
  const { id: organizationId, key, owner } = await graph.seed();
  const { ask, refusal } = graph.caller(key);
  const attribute = 'mutation ($input: NewAttribute!) { createAttribute(input: $input) { id } }';
  for (const given of [
    { name: 'Color', slug: 'color', type: 'text', constraints: { maxLength: 12 } },
    { name: 'Weight', slug: 'weight', type: 'number', unit: 'kg', constraints: { max: 100 } },
    { name: 'Room', slug: 'room', type: 'multiselect', options: ['Kitchen', 'Bath', 'Hall'] },
    { name: 'Text', slug: 'text', type: 'html' },
  ])
    await ask(attribute, { input: { subject: 'product', ...given } });
  const scope = () => detached({ organizationId, services: graph.services });
  const runItem = (id: string) => engine.processItem({ ...scope(), signal: new AbortController().signal, model: {} } as never, id);
  const run = async (id: string) => {
    await engine.begin(scope(), id);
    for (const item of await engine.openItems(scope(), id, -1, 1_000)) await runItem(item.id);
    await engine.finish(scope(), id);
    return (await ask(`query ($id: ID!) { job(id: $id) { ${JOB} } }`, { id })).job;
  };
  return {
    organizationId,
    key,
    owner,
    ask,
    refusal,
    scope,
    runItem,
    run,
    async create(sku: string, { attributes = {}, ...more }: Input = {}): Promise<string> {
      const product = 'mutation ($input: NewProduct!) { createProduct(input: $input) { id } }';
      const types: Record<string, string> = { color: 'text', weight: 'number', room: 'multiselect', text: 'html' };
      const values = Object.entries(attributes as Input).map(([slug, value]) => [slug, { attributeType: types[slug], value }]);
      const input = { sku, name: `Lamp ${sku}`, ...more, attributes: Object.fromEntries(values) };
      return (await ask(product, { input })).createProduct.id;
    },
    async read(id: string) {
      const fields =
        'name brand manufacturer category uom parentId archived attributes provenance { slug jobId sourceKind model reviewedAt }';
      const { attributes, ...product } = (await ask(`query ($id: ID) { product(id: $id) { ${fields} } }`, { id })).product;
      const values = Object.entries(attributes as Record<string, Input>).map(([slug, { value }]) => [slug, value]);
      return { ...product, values: Object.fromEntries(values) };
    },
    preview: async (edits: Input[], selection: Input = ALL) => (await ask(PREVIEW, { selection, edits })).productEditPreview,
    start: async (edits: Input[], selection: Input = ALL): Promise<string> =>
      (await ask(CREATE, { selection, edits })).createProductEditJob.id,
    undo: async (id: string): Promise<string> => (await ask(UNDO, { id })).undoProductEdit.id,
    results: async (jobId: string, outcome: string) => {
      const RESULTS = `query ($jobId: ID!, $outcome: ProductEditOutcome!) { productEditResults(jobId: $jobId, outcome: $outcome) {
        nodes { sku message changes { label before after } product { id } } pagination { total } } }`;
      return (await ask(RESULTS, { jobId, outcome })).productEditResults.nodes;
    },
  };
}

test('every action changes fields and values, and says before what it will do', async () => {
  const { ask, owner, create, read, preview, start, run, results } = await open();
  const id = await create('A', {
    ...{ brand: 'Norvik', manufacturer: 'Old', uom: 'pc', category: 'Lamps > Desk' },
    attributes: { color: 'dark red', weight: 2.5, room: ['Kitchen', 'Bath'] },
  });
  const empty = await create('B');
  const edits = [
    { field: 'brand', action: 'replace', find: 'norvik', replacement: '$& Norrvik', ignoreCase: true },
    { field: 'manufacturer', action: 'clear' },
    { field: 'name', action: 'suffix', value: ' (new)' },
    { field: 'category', action: 'set', value: 'Lamps > Table' },
    { attribute: 'color', action: 'replace', find: 'dark ', replacement: '' },
    { attribute: 'color', action: 'prefix', value: 'wine ' },
    { attribute: 'weight', action: 'multiply', factor: 0.1 },
    { attribute: 'room', action: 'replace', find: 'Bath', replacement: 'Hall' },
    { attribute: 'text', action: 'set', value: '<p>New</p><script>alert(1)</script>' },
  ];
  const shown = await preview(edits);
  expect(shown).toMatchObject({ products: 2, checked: 2, changed: 2, unchanged: 0, refused: 0, refusals: [] });
  const jobId = await start(edits);
  const job = await run(jobId);
  expect(job).toMatchObject({
    ...{ status: 'completed', totalCount: 1, processedCount: 1, failedCount: 0, cost: 0 },
    productEdit: { products: 2, changed: 2, unchanged: 0, refused: 0, undoOfId: null, undoneById: null },
  });
  expect(await read(id)).toMatchObject({
    ...{ name: 'Lamp A (new)', brand: '$& Norrvik', manufacturer: null, uom: 'pc', category: 'Lamps > Table' },
    values: { color: 'wine red', weight: 0.25, room: ['Kitchen', 'Hall'], text: '<p>New</p>' },
  });
  const { provenance } = await read(id);
  expect(provenance).toHaveLength(4);
  for (const origin of provenance)
    expect(origin).toMatchObject({ jobId, sourceKind: 'edit', model: 'edit', reviewedAt: expect.anything() });
  const HISTORY =
    'query ($id: ID!) { valueHistory(productId: $id, slug: "weight") { value { value } before { value } user { id } item { id } } }';
  expect((await ask(HISTORY, { id })).valueHistory).toEqual([
    { value: { value: 0.25 }, before: { value: 2.5 }, user: { id: owner.id }, item: null },
  ]);
  expect(await read(empty)).toMatchObject({
    name: 'Lamp B (new)',
    brand: null,
    category: 'Lamps > Table',
    values: { text: '<p>New</p>' },
  });
  const written = await results(jobId, 'changed');
  const told = shown.changes.map(({ sku, changes }: Input) => [
    sku,
    (changes as Input[]).map(({ label, before, after }) => ({ label, before, after })),
  ]);
  expect(written.map(({ sku, changes }: Input) => [sku, changes])).toEqual(told);
});

test('a product that an edit would make invalid stays as it is, with the reason', async () => {
  const { create, read, preview, start, run, results } = await open();
  const parentId = await create('P', { isParent: true });
  await create('HEAVY', { attributes: { weight: 60 } });
  await create('LIGHT', { attributes: { weight: 6 } });
  await create('NONE');
  const edits = [{ attribute: 'weight', action: 'multiply', factor: 2 }];
  const shown = await preview(edits);
  expect(shown).toMatchObject({ products: 4, changed: 1, unchanged: 2, refused: 1 });
  expect(shown.refusals).toEqual([{ sku: 'HEAVY', refusal: 'Weight must be at most 100', changes: [] }]);
  const jobId = await start(edits);
  expect((await run(jobId)).productEdit).toMatchObject({ products: 4, changed: 1, unchanged: 2, refused: 1 });
  expect(await results(jobId, 'refused')).toMatchObject([{ sku: 'HEAVY', message: 'Weight must be at most 100', changes: [] }]);
  expect(await results(jobId, 'changed')).toMatchObject([{ sku: 'LIGHT', changes: [{ label: 'Weight', before: 6, after: 12 }] }]);

  const moved = await start([{ field: 'parentId', action: 'set', value: parentId }]);
  expect((await run(moved)).productEdit).toMatchObject({ changed: 3, refused: 1 });
  expect(await results(moved, 'refused')).toMatchObject([{ sku: 'P', message: 'A product cannot be its own parent' }]);
  const emptied = await start([{ field: 'name', action: 'replace', find: 'Lamp LIGHT' }]);
  await run(emptied);
  expect(await results(emptied, 'refused')).toMatchObject([{ sku: 'LIGHT', message: 'The name must not be empty' }]);
  expect(await read(parentId)).toMatchObject({ name: 'Lamp P', parentId: null });
});

test.each([
  [{ action: 'set', value: 'x' }, 'edits.0 must have either field or attribute'],
  [{ field: 'brand', attribute: 'color', action: 'clear' }, 'edits.0 must have either field or attribute'],
  [{ attribute: 'none', action: 'clear' }, 'edits.0.attribute must be the slug of a product attribute'],
  [{ field: 'name', action: 'clear' }, 'edits.0.action must not be clear for name'],
  [{ field: 'brand', action: 'set' }, 'edits.0.value is required'],
  [
    { field: 'brand', action: 'set', value: 'x'.repeat(129) },
    'edits.0.value is refused: The text of brand has more than 128 characters',
  ],
  [{ field: 'brand', action: 'multiply', factor: 2 }, 'edits.0.action can be multiply for an attribute of numbers only'],
  [{ attribute: 'weight', action: 'multiply', factor: 0 }, 'edits.0.factor must be a number other than 0'],
  [{ attribute: 'weight', action: 'set', value: 101 }, 'edits.0.value must be at most 100'],
  [{ attribute: 'weight', action: 'set', value: 'much' }, 'edits.0.weight.value must be a number for the type number'],
  [{ attribute: 'text', action: 'replace', find: 'p' }, 'edits.0.action can be replace for texts only, without HTML'],
  [{ attribute: 'color', action: 'replace' }, 'edits.0.find is required'],
  [{ attribute: 'room', action: 'set', value: ['Cellar'] }, 'edits.0.value must be one of Kitchen, Bath, Hall'],
  [{ field: 'archived', action: 'set', value: 'yes' }, 'edits.0.value must be true or false'],
])('the edit %j is refused: %s', async (edit, message) => {
  const { refusal } = await open();
  for (const text of [PREVIEW, CREATE])
    expect(await refusal(text, { selection: ALL, edits: [edit] })).toBe(`INVALID_INPUT: ${message}`);
});

test('a selection has ids or conditions, and selects products of the organization only', async () => {
  const { create, refusal, start, run, read } = await open();
  const stranger = await open();
  const [a, b] = [await create('A', { brand: 'One' }), await create('B', { brand: 'Two' })];
  const theirs = await stranger.create('A', { brand: 'One' });
  const edits = [{ field: 'uom', action: 'set', value: 'box' }];
  for (const selection of [{}, { ids: [a], filter: {} }, { search: 'x' }])
    expect(await refusal(CREATE, { selection, edits })).toMatch(/^INVALID_INPUT: selection must have/);
  for (const selection of [{ ids: [theirs, unknownId, 'x'] }, { filter: { brand: 'Three' } }])
    for (const text of [PREVIEW, CREATE])
      expect(await refusal(text, { selection, edits })).toBe('UNPROCESSABLE: No product is selected.');
  expect((await run(await start(edits, { filter: { brand: 'one' }, search: 'lamp' }))).productEdit.products).toBe(1);
  expect([(await read(a)).uom, (await read(b)).uom, (await stranger.read(theirs)).uom]).toEqual(['box', null, null]);
  const foreign = await stranger.create('P', { isParent: true });
  const toForeign = { selection: ALL, edits: [{ field: 'parentId', action: 'set', value: foreign }] };
  expect(await refusal(CREATE, toForeign)).toBe('NOT_FOUND: Product not found');
});

test('an undo restores what nobody changed since, with its origin, and names what it left', async () => {
  const { organizationId, ask, create, read, start, run, undo, refusal, results } = await open();
  const ids: string[] = [];
  for (const sku of ['A', 'B', 'C']) ids.push(await create(sku, { brand: 'Old', attributes: { color: 'red', weight: 1 } }));
  const origin = {
    jobId: unknownId,
    itemId: unknownId,
    model: 'offline',
    confidence: 70,
    sourceKind: 'page',
    at: '2026-01-01T00:00:00Z',
  };
  await pool.query('update catalog.products set provenance = $2 where id = $1', [ids[0], JSON.stringify({ color: origin })]);
  const before = await Promise.all(ids.map(read));
  const jobId = await start([
    { field: 'brand', action: 'set', value: 'New' },
    { attribute: 'color', action: 'set', value: 'blue' },
    { attribute: 'weight', action: 'clear' },
  ]);
  expect(await refusal(UNDO, { id: jobId })).toBe('UNPROCESSABLE: The job has not ended yet.');
  await run(jobId);
  expect((await read(ids[0]!)).values).toEqual({ color: 'blue' });
  // Others write the same color, another brand, and a weight.
  const value = (slug: string, type: string, content: unknown) => ({ [slug]: { attributeType: type, value: content } });
  const WRITE =
    'mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }';
  await ask(WRITE, { id: ids[1], attributes: value('color', 'text', 'blue') });
  await ask('mutation ($id: ID!) { updateProduct(id: $id, input: { brand: "Other" }) { id } }', { id: ids[2] });
  await ask(WRITE, { id: ids[2], attributes: value('weight', 'number', 9) });

  const undoId = await undo(jobId);
  expect(await refusal(UNDO, { id: jobId })).toBe('CONFLICT: The job is being undone, or was undone already.');
  expect((await run(undoId)).productEdit).toMatchObject({ products: 3, changed: 3, refused: 0, undoOfId: jobId, edits: [] });
  expect(await read(ids[0]!)).toEqual(before[0]);
  expect(await read(ids[1]!)).toMatchObject({ brand: 'Old', values: { color: 'blue', weight: 1 } });
  expect(await read(ids[2]!)).toMatchObject({ brand: 'Other', values: { color: 'red', weight: 9 } });
  const messages = (await results(undoId, 'changed')).map(({ sku, message }: Input) => [sku, message]);
  expect(messages.toSorted()).toEqual([
    ['A', null],
    ['B', 'Changed since, and left as it is: Color'],
    ['C', 'Changed since, and left as it is: brand, Weight'],
  ]);
  expect((await ask(`query ($id: ID!) { job(id: $id) { ${JOB} } }`, { id: jobId })).job.productEdit.undoneById).toBe(undoId);
  // The undo of the undo edits again.
  await run(await undo(undoId));
  expect(await read(ids[0]!)).toMatchObject({ brand: 'New', values: { color: 'blue' } });

  const stranger = await open();
  expect(await stranger.refusal(UNDO, { id: jobId })).toBe('NOT_FOUND: Job not found');
  await pool.query(`update catalog.product_edits set edited_at = now() - interval '31 days' where organization_id = $1`, [
    organizationId,
  ]);
  await pool.query(`update catalog.product_edit_pages set created_at = now() - interval '31 days' where organization_id = $1`, [
    organizationId,
  ]);
  expect(await forgetEdits(pool)).toBeGreaterThan(0);
  expect(await results(jobId, 'changed')).toEqual([]);
  const { rows } = await pool.query(
    'select sum(cardinality(product_ids))::int as ids, sum(product_count)::int as products from catalog.product_edit_pages where organization_id = $1',
    [organizationId],
  );
  expect(rows).toEqual([{ ids: 0, products: 9 }]);
});

test('few bulk edits are open at once, deleted products are counted apart, and an undo of nothing says so', async () => {
  const { ask, create, start, run, refusal } = await open();
  const [a] = [await create('A', { brand: 'New' }), await create('B', { brand: 'New' })];
  const edits = [{ field: 'brand', action: 'set', value: 'New' }];
  const jobs = [];
  for (let n = 0; n < 10; n += 1) jobs.push(await start(edits));
  expect(await refusal(CREATE, { selection: ALL, edits })).toMatch(/^CONFLICT: At most 10 bulk edits can be open/);
  await ask('mutation ($id: ID!) { deleteProduct(id: $id) { id } }', { id: a });
  expect((await run(jobs[0]!)).productEdit).toMatchObject({ products: 2, changed: 0, unchanged: 1, refused: 0, deleted: 1 });
  expect(await start(edits)).toBeTruthy();
  await run(jobs[1]!);
  expect(await refusal(UNDO, { id: jobs[0] })).toBe('UNPROCESSABLE: The job changed nothing, or more than 30 days ago.');
});

test('a page that a process did not finish is edited once, and an edit waits for another editor', async () => {
  const { organizationId, create, read, start, run, runItem, scope } = await open();
  const id = await create('A', { attributes: { weight: 1 } });
  const twice = [{ attribute: 'weight', action: 'multiply', factor: 2 }];
  const jobId = await start(twice);
  await engine.begin(scope(), jobId);
  const [item] = await engine.openItems(scope(), jobId, -1, 10);
  // Several attempts of the same item at once, as after a lost worker.
  await Promise.all([runItem(item!.id), runItem(item!.id), runItem(item!.id)]);
  await runItem(item!.id);
  expect((await run(jobId)).productEdit).toMatchObject({ changed: 1 });
  expect((await read(id)).values.weight).toBe(2);

  const second = await start(twice);
  await duringTransaction(
    (rival) =>
      rival.query(
        `update catalog.products set attributes = jsonb_set(attributes, '{weight,value}', '30') where organization_id = $1`,
        [organizationId],
      ),
    () => run(second),
    undefined,
    pool,
  );
  expect((await read(id)).values.weight).toBe(60);
});

test('a large selection is edited page by page, each with its own transaction, and a stop leaves the rest', async () => {
  const { organizationId, ask, start, run, runItem, scope } = await open();
  await pool.query(
    `insert into catalog.products (id, organization_id, sku, name) select gen_random_uuid(), $1, 'N-' || n, 'N' from generate_series(1, 1100) n`,
    [organizationId],
  );
  const count = async (brand: string) =>
    (
      await pool.query('select count(*)::int as n from catalog.products where organization_id = $1 and brand = $2', [
        organizationId,
        brand,
      ])
    ).rows[0].n;
  const edited = await run(await start([{ field: 'brand', action: 'set', value: 'One' }]));
  expect(edited).toMatchObject({ totalCount: 3, productEdit: { products: 1_100, changed: 1_100 } });
  expect(await count('One')).toBe(1_100);
  const jobId = await start([{ field: 'brand', action: 'set', value: 'Two' }]);
  await engine.begin(scope(), jobId);
  const [first] = await engine.openItems(scope(), jobId, -1, 10);
  await runItem(first!.id);
  await ask('mutation ($id: ID!) { stopJob(id: $id) { status } }', { id: jobId });
  const stopped = await run(jobId);
  expect(stopped).toMatchObject({ status: 'stopped', failedCount: 2, productEdit: { products: 1_100, changed: 500 } });
  expect([await count('One'), await count('Two')]).toEqual([600, 500]);
  const { rows } = await pool.query(
    'select count(*)::int as n from identity.credit_entries where organization_id = $1 and amount = 0',
    [organizationId],
  );
  expect(rows[0].n).toBe(0);
});

test('large values are read and written in parts, and a preview says how many products it read', async () => {
  const { organizationId, preview, start, run, undo, results } = await open();
  await pool.query(
    `insert into catalog.products (id, organization_id, sku, name, attributes)
     select gen_random_uuid(), $1, 'N-' || n, 'N', jsonb_build_object('text', jsonb_build_object(
              'attributeName', 'Text', 'attributeType', 'html', 'value', repeat('x', case when n = 1 then 999960 else 900000 end)))
       from generate_series(1, 12) n`,
    [organizationId],
  );
  const lengths = async () =>
    (
      await pool.query(
        `select length(attributes #>> '{text,value}') as n from catalog.products where organization_id = $1 order by n`,
        [organizationId],
      )
    ).rows.map(({ n }) => n);
  const edits = [
    { attribute: 'text', action: 'clear' },
    { attribute: 'color', action: 'set', value: 'red' },
  ];
  const shown = await preview(edits);
  expect(shown).toMatchObject({ products: 12, changed: shown.checked, refused: 0 });
  expect(shown.checked).toBeLessThanOrEqual(4);
  const jobId = await start(edits);
  expect(await run(jobId)).toMatchObject({ totalCount: 1, productEdit: { products: 12, changed: 12, refused: 0 } });
  expect(await lengths()).toEqual(Array(12).fill(null));
  expect((await run(await undo(jobId))).productEdit).toMatchObject({ products: 12, changed: 12 });
  expect(await lengths()).toEqual([...Array(11).fill(900_000), 999_960]);
  // The other values of a product count too.
  const second = await start([{ attribute: 'color', action: 'set', value: 'x'.repeat(12) }]);
  expect((await run(second)).productEdit).toMatchObject({ changed: 12 });
  const third = await start([{ attribute: 'room', action: 'set', value: ['Kitchen', 'Bath', 'Hall'] }]);
  expect((await run(third)).productEdit).toMatchObject({ changed: 11, refused: 1 });
  expect(await results(third, 'refused')).toMatchObject([{ sku: 'N-1', message: 'The values are too large' }]);
});

test('a request that is repeated with its key starts one job', async () => {
  const { key, create, ask } = await open();
  await create('A');
  const edits = [{ field: 'brand', action: 'set', value: 'New' }];
  const once = graph.caller(key, { 'idempotency-key': 'again' });
  const first = await once.ask(CREATE, { selection: ALL, edits });
  expect((await once.ask(CREATE, { selection: ALL, edits })).createProductEditJob.id).toBe(first.createProductEditJob.id);
  expect((await ask('{ jobs { pagination { total } } }')).jobs.pagination.total).toBe(1);
});

test('archived products are edited when they are named, and a bulk edit archives', async () => {
  const { create, read, start, run } = await open();
  const [a, b] = [await create('A'), await create('B')];
  await run(await start([{ field: 'archived', action: 'set', value: true }], { ids: [a] }));
  expect((await read(a)).archived).toBe(true);
  const edits = [{ field: 'uom', action: 'set', value: 'pc' }];
  expect((await run(await start(edits))).productEdit.products).toBe(1);
  expect((await run(await start(edits, { ids: [a, b] }))).productEdit).toMatchObject({ products: 2, changed: 1, unchanged: 1 });
  expect((await read(a)).uom).toBe('pc');
});
