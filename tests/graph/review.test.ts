import { color, seedCatalog, weight } from '../support/enrichment.ts';

let catalog: Awaited<ReturnType<typeof seedCatalog>>;
let items: { id: string; productId: string }[];
let jobs: string[];
beforeEach(async () => {
  catalog = await seedCatalog([color, weight]);
  const text = 'Color: red\nWeight: 2 kg';
  const products = await catalog.addProducts(
    ['Tools', 'Tools', 'Lamps', undefined].map((category) => ({ category, userProvidedRawDataSources: [text] })),
  );
  const [first, second] = [await catalog.enrich(products.slice(0, 2)), await catalog.enrich(products.slice(2))];
  items = [...first.items, ...second.items];
  jobs = [first.job.id, second.job.id];
});

const QUEUE = `query ($filter: ReviewFilter, $limit: Int = 100, $after: String) { reviewQueue(filter: $filter, limit: $limit, after: $after) {
  nodes { itemId slug confidence item { id } job { id } } pagination { total } endCursor } }`;
const queue = async (filter: object = {}, more = {}) => (await catalog.api.graphql(QUEUE, { filter, ...more })).reviewQueue;
const total = async (filter: object = {}) => {
  const { nodes, pagination } = await queue(filter);
  expect(pagination.total).toBe(nodes.length);
  return nodes.length;
};

test('the queue of the organization is filtered by attribute, category, confidence and job', async () => {
  expect(await total()).toBe(8);
  expect(await total({ attribute: 'color' })).toBe(4);
  expect(await total({ category: 'TOOLS' })).toBe(4);
  expect(await total({ category: 'Lamps', attribute: 'weight' })).toBe(1);
  expect(await total({ jobId: jobs[1] })).toBe(4);
  const { nodes } = await queue();
  const lowest = nodes[0].confidence;
  expect(await total({ confidenceBelow: lowest })).toBe(0);
  expect(await total({ confidenceFrom: lowest })).toBe(8);
  expect(await total({ confidenceFrom: 100, confidenceBelow: 100 })).toBe(0);
  expect(nodes.map(({ confidence }: { confidence: number }) => confidence)).toEqual(
    nodes.map(({ confidence }: { confidence: number }) => confidence).toSorted((a: number, b: number) => a - b),
  );
  expect(new Set(nodes.map(({ job }: { job: { id: string } }) => job.id))).toEqual(new Set(jobs));
});

test('pages by cursor continue after values were reviewed', async () => {
  const whole = (await queue()).nodes.map(({ itemId, slug }: { itemId: string; slug: string }) => `${itemId} ${slug}`);
  const first = await queue({}, { limit: 3 });
  const [{ itemId, slug }] = first.nodes;
  await catalog.api.graphql('mutation ($reviews: [ItemReview!]!) { reviewItems(reviews: $reviews) { decided } }', {
    reviews: [{ itemId, decisions: [{ slug, verdict: 'accept' }] }],
  });
  const rest = await queue({}, { after: first.endCursor });
  expect(rest.nodes.map((each: { itemId: string; slug: string }) => `${each.itemId} ${each.slug}`)).toEqual(whole.slice(3));
});

const REVIEW =
  'mutation ($reviews: [ItemReview!]!) { reviewItems(reviews: $reviews) { decided failures { itemId slug message } } }';
const MATCHING = `mutation ($filter: ReviewFilter!, $verdict: ReviewVerdict!, $limit: Int = 500, $after: String) {
  reviewMatching(filter: $filter, verdict: $verdict, limit: $limit, after: $after) { decided failures { itemId slug message } endCursor } }`;

const change = (id: string) =>
  catalog.api.graphql(
    'mutation ($id: ID!, $attributes: AttributeValues!) { updateProductAttributes(id: $id, attributes: $attributes) { id } }',
    {
      id,
      attributes: { color: { attributeType: 'text', value: 'blue' } },
    },
  );

test('several items are reviewed at once; a changed value fails only its item', async () => {
  await change(items[1]!.productId);
  const accept = (slug: string) => ({ slug, verdict: 'accept' });
  const reviews = items.map(({ id }) => ({ itemId: id, decisions: [accept('color'), accept('weight')] }));
  const { reviewItems } = await catalog.api.graphql(REVIEW, { reviews });
  expect(reviewItems).toEqual({
    decided: 6,
    failures: [{ itemId: items[1]!.id, slug: null, message: 'The value of color has changed since the item wrote it.' }],
  });
  expect(await total()).toBe(2);
});

test('an unknown item is named, and nothing is reviewed', async () => {
  const reviews = ['no-id', items[0]!.id].map((itemId) => ({ itemId, decisions: [{ slug: 'color', verdict: 'accept' }] }));
  expect(await catalog.api.refusal(REVIEW, { reviews })).toMatchObject({ code: 'NOT_FOUND' });
  const twice = [reviews[1], reviews[1]];
  expect(await catalog.api.refusal(REVIEW, { reviews: twice })).toMatchObject({ code: 'INVALID_INPUT' });
  expect(await total()).toBe(8);
});

test('the values of a deleted product leave the queue', async () => {
  const one = (itemId: string) => ({ reviews: [{ itemId, decisions: [{ slug: 'color', verdict: 'accept' }] }] });
  await catalog.api.graphql(REVIEW, one(items[0]!.id));
  for (const { productId } of items.slice(0, 2))
    await catalog.api.graphql('mutation ($id: ID!) { deleteProduct(id: $id) { deleted } }', { id: productId });
  expect(await total()).toBe(4);
  const { reviewCount, reviewMatching } = {
    ...(await catalog.api.graphql('{ reviewCount }')),
    ...(await catalog.api.graphql(MATCHING, { filter: {}, verdict: 'accept' })),
  };
  expect({ reviewCount, reviewMatching }).toMatchObject({ reviewCount: 4, reviewMatching: { decided: 4, failures: [] } });
});

test('concurrent decisions count once, and contradictory ones are a conflict', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => catalog.api.graphql(MATCHING, { filter: {}, verdict: 'accept' })));
  const results = all.map(({ reviewMatching }) => reviewMatching);
  expect(results.reduce((sum, { decided }) => sum + decided, 0)).toBe(8);
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  const one = (verdict: string, more = {}) => ({
    reviews: [{ itemId: items[0]!.id, decisions: [{ slug: 'color', verdict, ...more }] }],
  });
  expect((await catalog.api.graphql(REVIEW, one('accept'))).reviewItems).toEqual({ decided: 0, failures: [] });
  const refused = (await catalog.api.graphql(REVIEW, one('reject'))).reviewItems;
  expect(refused).toMatchObject({ decided: 0, failures: [{ message: 'The value of color was already reviewed: accept.' }] });
  expect((await catalog.api.graphql(REVIEW, one('reject', { overrule: true }))).reviewItems).toMatchObject({ decided: 1 });
});

test('matching values are decided together, page by page; changed ones stay in the queue', async () => {
  await change(items[0]!.productId);
  let [after, decided, failed]: [string | null, number, string[]] = [null, 0, []];
  do {
    const { reviewMatching } = await catalog.api.graphql(MATCHING, {
      filter: { category: 'tools' },
      verdict: 'accept',
      limit: 2,
      after,
    });
    after = reviewMatching.endCursor;
    decided += reviewMatching.decided;
    failed = [...failed, ...reviewMatching.failures.map(({ slug }: { slug: string }) => slug)];
  } while (after);
  expect([decided, failed]).toEqual([3, ['color']]);
  expect(await total()).toBe(5);
  const edit = { filter: {}, verdict: 'edit' };
  expect(await catalog.api.refusal(MATCHING, edit)).toMatchObject({ code: 'INVALID_INPUT' });
  expect(await catalog.api.refusal(MATCHING, { ...edit, verdict: 'reject', after: 'x' })).toMatchObject({ code: 'INVALID_INPUT' });
});
