import { color, seedCatalog, weight } from '../support/enrichment.ts';
import { duringTransaction } from '../support/rival.ts';

const QUEUE = `query ($jobId: ID!, $page: Int = 1, $limit: Int = 20) { reviewQueue(jobId: $jobId, page: $page, limit: $limit) {
  nodes { itemId slug productId confidence proposed { value } base { value } current { value } provenance { slug itemId confidence at } }
  pagination { total } } }`;
const REVIEW = `mutation ($itemId: ID!, $decisions: [Decision!]!) { reviewItem(itemId: $itemId, decisions: $decisions) { id } }`;
const base = { color: { attributeName: 'Color', attributeType: 'text', value: 'blue' } };

/** A product whose color changed from blue (manual) to red (job), with a new weight. */
async function enriched() {
  const catalog = await seedCatalog([color, weight]);
  const [productId] = await catalog.addProducts([{ attributes: base, userProvidedRawDataSources: ['Color: red\nWeight: 2 kg'] }]);
  const { job, items } = await catalog.enrich([productId!]);
  const itemId = items[0].id as string;
  const queue = async (variables = {}) => (await catalog.api.graphql(QUEUE, { jobId: job.id, ...variables })).reviewQueue;
  const review = (...decisions: object[]) => catalog.api.graphql(REVIEW, { itemId, decisions });
  const refusal = (...decisions: object[]) => catalog.api.refusal(REVIEW, { itemId, decisions });
  return { ...catalog, productId: productId!, jobId: job.id, itemId, queue, review, refusal };
}

test('the queue shows proposed, previous and current values, lowest confidence first', async () => {
  const { queue, itemId, productId } = await enriched();
  const { nodes, pagination } = await queue();
  expect(pagination.total).toBe(2);
  expect(nodes.map((node: { confidence: number }) => node.confidence)).toEqual(
    nodes.map((node: { confidence: number }) => node.confidence).sort((a: number, b: number) => a - b),
  );
  const proposal = nodes.find((node: { slug: string }) => node.slug === 'color');
  expect(proposal).toMatchObject({
    itemId,
    productId,
    proposed: { value: 'red' },
    base: { value: 'blue' },
    current: { value: 'red' },
    provenance: { slug: 'color', itemId, confidence: proposal.confidence },
  });
  expect((await queue({ page: 2, limit: 1 })).nodes).toHaveLength(1);
});

test('accepting keeps the value and removes it from the queue', async () => {
  const { review, product, productId, queue } = await enriched();
  await review({ slug: 'color', verdict: 'accept' });
  expect((await product(productId)).attributes.color.value).toBe('red');
  expect((await queue()).nodes.map(({ slug }: { slug: string }) => slug)).toEqual(['weight']);
});

test('editing writes the value with provenance review', async () => {
  const { review, product, productId, itemId } = await enriched();
  await review({ slug: 'weight', verdict: 'edit', value: 2.5 });
  const { attributes, provenance } = await product(productId);
  expect(attributes.weight.value).toBe(2.5);
  expect(provenance).toContainEqual(expect.objectContaining({ slug: 'weight', sourceKind: 'review', itemId, confidence: 100 }));
});

test('rejecting restores the previous value or its absence', async () => {
  const { review, product, productId, attributeIds } = await enriched();
  await review({ slug: 'color', verdict: 'reject' }, { slug: 'weight', verdict: 'reject' });
  const { attributes, provenance } = await product(productId);
  expect(attributes).toEqual({ color: { ...base.color, attributeId: attributeIds.color } });
  expect(provenance).toEqual([]);
});

test('any verdict can be overruled until the value changes otherwise', async () => {
  const { review, refusal, product, productId, itemId, jobId, api, slug } = await enriched();
  const overrule = (verdict: string, value?: string) => review({ slug: 'color', verdict, value, overrule: true });
  const colorOf = async () => {
    const { attributes, provenance } = await product(productId);
    return [attributes.color.value, provenance.find(({ slug }: { slug: string }) => slug === 'color')];
  };
  const [, { model }] = await colorOf();
  const proposed = expect.objectContaining({ jobId, itemId, model, sourceKind: 'text' });
  const edited = expect.objectContaining({ itemId, model, sourceKind: 'review' });
  await review({ slug: 'color', verdict: 'reject' });
  await overrule('accept');
  expect(await colorOf()).toEqual(['red', proposed]);
  await overrule('reject');
  await overrule('edit', 'dark red');
  expect(await colorOf()).toEqual(['dark red', edited]);
  await overrule('edit', 'crimson');
  expect(await colorOf()).toEqual(['crimson', edited]);
  await overrule('accept');
  expect(await colorOf()).toEqual(['red', proposed]);
  await overrule('edit', 'crimson');
  await overrule('reject');
  expect(await colorOf()).toEqual(['blue', undefined]);
  const attributes = { color: { attributeType: 'text', value: 'green' } };
  await api.post(`/api/${slug}/products/${productId}/update-attributes`, { attributes });
  expect(await refusal({ slug: 'color', verdict: 'accept', overrule: true })).toMatchObject({ code: 'CONFLICT' });
});

test('values that a later job replaces leave the queue, and a rejection restores those before both', async () => {
  const { api, enrich, product, productId, attributeIds, queue, refusal } = await enriched();
  const input = { ...(await product(productId, 'sku name')), userProvidedRawDataSources: ['Color: green'] };
  await api.graphql('mutation ($id: ID!, $input: ProductChange!) { updateProduct(id: $id, input: $input) { id } }', {
    ...{ id: productId, input },
  });
  const { job, items } = await enrich([productId]);
  expect((await queue()).nodes).toEqual([]);
  // The job finds the weight among the values of the product.
  expect((await queue({ jobId: job.id })).nodes).toMatchObject([
    { itemId: items[0].id, slug: 'weight', proposed: { value: 2 }, base: null },
    { itemId: items[0].id, slug: 'color', proposed: { value: 'green' }, base: { value: 'blue' }, current: { value: 'green' } },
  ]);
  expect((await api.graphql('{ reviewCount }')).reviewCount).toBe(2);
  expect(await refusal({ slug: 'color', verdict: 'accept' })).toMatchObject({ code: 'CONFLICT' });
  await api.graphql(REVIEW, { itemId: items[0].id, decisions: [{ slug: 'color', verdict: 'reject' }] });
  const { attributes, provenance } = await product(productId);
  expect(attributes.color).toEqual({ ...base.color, attributeId: attributeIds.color });
  expect(provenance.map(({ slug }: { slug: string }) => slug)).toEqual(['weight']);
});

test('a rejection restores a value that a caller wrote between two jobs', async () => {
  const { api, enrich, product, productId, slug, queue } = await enriched();
  const attributes = { color: { attributeName: 'Color', attributeType: 'text', value: 'green' } };
  await api.post(`/api/${slug}/products/${productId}/update-attributes`, { attributes });
  const { items, job } = await enrich([productId]);
  expect((await queue({ jobId: job.id })).nodes).toContainEqual(
    expect.objectContaining({ slug: 'color', base: { value: 'green' } }),
  );
  await api.graphql(REVIEW, { itemId: items[0].id, decisions: [{ slug: 'color', verdict: 'reject' }] });
  expect((await product(productId)).attributes.color.value).toBe('green');
});

test('undone decisions return their values to the queue, and the product to what the job wrote', async () => {
  const { api, itemId, review, product, productId, queue } = await enriched();
  const before = [await product(productId), await queue()];
  const UNDO = `mutation ($values: [ReviewedValueInput!]!) {
    undoReviews(values: $values) { decided values { itemId slug } failures { itemId slug message } }
  }`;
  const values = ['color', 'weight'].map((slug) => ({ itemId, slug }));
  const undo = async () => (await api.graphql(UNDO, { values })).undoReviews;
  for (const decision of [{ verdict: 'accept' }, { verdict: 'reject' }, { verdict: 'edit', value: 'crimson' }]) {
    await review({ slug: 'color', ...decision }, { slug: 'weight', verdict: 'accept' });
    expect(await undo()).toEqual({ decided: 2, values, failures: [] });
    expect([await product(productId), await queue()]).toEqual(before);
  }
  expect(await undo()).toEqual({ decided: 0, values: [], failures: [] });
  await review({ slug: 'color', verdict: 'reject' }, { slug: 'weight', verdict: 'reject' });
  await api.graphql(
    'mutation ($id: ID!, $values: AttributeValues!) { updateProductAttributes(id: $id, attributes: $values) { id } }',
    {
      id: productId,
      values: { color: { attributeType: 'text', value: 'green' } },
    },
  );
  expect(await undo()).toEqual({
    decided: 1,
    values: [{ itemId, slug: 'weight' }],
    failures: [{ itemId, slug: 'color', message: 'The value of color has changed since its review.' }],
  });
  expect((await product(productId)).attributes).toMatchObject({ color: { value: 'green' }, weight: { value: 2 } });
});

test('a decision cannot be undone after a later job has written the value', async () => {
  const { api, itemId, review, enrich, product, productId } = await enriched();
  await review({ slug: 'color', verdict: 'accept' });
  const input = { ...(await product(productId, 'sku name')), userProvidedRawDataSources: ['Color: green'] };
  await api.graphql('mutation ($id: ID!, $input: ProductChange!) { updateProduct(id: $id, input: $input) { id } }', {
    ...{ id: productId, input },
  });
  await enrich([productId], { overwrite: 'all' });
  const { undoReviews } = await api.graphql(
    'mutation ($values: [ReviewedValueInput!]!) { undoReviews(values: $values) { decided failures { message } } }',
    { values: [{ itemId, slug: 'color' }] },
  );
  expect(undoReviews).toEqual({ decided: 0, failures: [{ message: 'A later job has written the value of color.' }] });
  expect((await product(productId)).attributes.color.value).toBe('green');
});

test('a concurrently changed value rejects the whole decision', async () => {
  const { refusal, api, slug, product, productId, queue } = await enriched();
  const attributes = { color: { attributeName: 'Color', attributeType: 'text', value: 'green' } };
  await api.post(`/api/${slug}/products/${productId}/update-attributes`, { attributes });
  const refused = await refusal({ slug: 'weight', verdict: 'reject' }, { slug: 'color', verdict: 'reject' });
  expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('color') });
  expect((await product(productId)).attributes).toMatchObject({ color: { value: 'green' }, weight: { value: 2 } });
  expect((await queue()).pagination.total).toBe(2);
});

test.each([
  [[{ slug: 'size', verdict: 'accept' }], 'UNPROCESSABLE'],
  [[{ slug: 'weight', verdict: 'edit' }], 'INVALID_INPUT'],
  [[{ slug: 'weight', verdict: 'edit', value: 'heavy' }], 'INVALID_INPUT'],
  [
    [
      { slug: 'weight', verdict: 'accept' },
      { slug: 'weight', verdict: 'reject' },
    ],
    'INVALID_INPUT',
  ],
  [[], 'INVALID_INPUT'],
])('%j is %s', async (decisions, code) => {
  const { refusal } = await enriched();
  expect(await refusal(...decisions)).toMatchObject({ code });
});

test('another organization finds neither the item nor the job', async () => {
  const { itemId, jobId } = await enriched();
  const { api } = await seedCatalog();
  const decisions = [{ slug: 'color', verdict: 'accept' }];
  expect(await api.refusal(REVIEW, { itemId, decisions })).toMatchObject({ code: 'NOT_FOUND' });
  const undo = 'mutation ($values: [ReviewedValueInput!]!) { undoReviews(values: $values) { decided } }';
  expect(await api.refusal(undo, { values: [{ itemId, slug: 'color' }] })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await api.refusal(QUEUE, { jobId })).toMatchObject({ code: 'NOT_FOUND' });
});

test('a review and an enrichment of other products change the counters without a deadlock', async () => {
  const { review, id } = await enriched();
  // Connections share 16 slots of each counter.
  const add = (kind: string) => `
    insert into catalog.counters as c (organization_id, kind, key, slot, count, sum) select $1, '${kind}', 'color', slot, 0, 0
      from generate_series(0, 15) slot on conflict (organization_id, kind, key, slot) do update set count = c.count`;
  await duringTransaction(
    (enrichment) => enrichment.query(add('review'), [id]),
    () => review({ slug: 'color', verdict: 'reject' }),
    (enrichment) => enrichment.query(add('value'), [id]),
  );
});
