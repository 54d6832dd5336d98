import * as fc from 'fast-check';
import { parse } from 'graphql';
import { ResponseBudget } from '../../../gateway/serve/identified-caller.ts';
import { anyone, ask, askInParts, federate, gatewayOf, plain, subgraph } from '../support/federation.ts';
import { gateway as generated, inPartsOfOneSchema, makeData, timeout, whatever } from '../support/generated.ts';
import { MadeUp } from '../support/generated-data.ts';
import { contradictions } from '../support/partial-answer.ts';

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `p${at}` }));
/** Reviews answer only when the test lets them. */
let gate = Promise.withResolvers<void>();
let failing = false;

const shop = subgraph(
  'shop',
  `type Query { products(first: Int = 2): [Product!]! product: Product other: Product }
   type Mutation { touch: Product }
   type Subscription { touched: Product }
   type Product @key(fields: "id") { id: ID! name: String price: Int! owner: Owner }
   type Owner { name: String city: String }`,
  {
    Query: {
      products: (_: unknown, { first }: { first: number }) => rows(first),
      product: () => ({ id: 'p0' }),
      other: () => ({ id: 'p1' }),
    },
    Mutation: { touch: () => ({ id: 'p0' }) },
    Product: {
      name: ({ id }: { id: string }) => `Product ${id}`,
      price: ({ id }: { id: string }) => (id === 'p1' && failing ? null : 7),
      owner: () => ({
        name: 'Ada',
        city() {
          if (failing) throw new Error('No city');
          return 'Bern';
        },
      }),
      __resolveReference: (reference: object) => reference,
    },
  },
);
const reviews = subgraph(
  'reviews',
  `type Product @key(fields: "id") { id: ID! stars: Float! reviews: [Review!]! }
   type Review { text: String author: Author }
   type Author { name: String }
   type Query { reviewed: [Product!]! }`,
  {
    Query: { reviewed: async () => rows(1) },
    Product: {
      __resolveReference: async (reference: object) => {
        await gate.promise;
        return reference;
      },
      stars: ({ id }: { id: string }) => {
        if (failing && id === 'p1') throw new Error('No stars');
        return 4.5;
      },
      reviews: ({ id }: { id: string }) => [{ text: `Good ${id}`, author: { name: 'Ben' } }],
    },
  },
);
const gateway = gatewayOf(federate([shop, reviews]));
afterAll(() => gateway.close());
beforeEach(() => {
  gate = Promise.withResolvers();
  gate.resolve();
  failing = false;
});

const inParts = (text: string, variables = {}) => gateway.operation(parse(text)).executeInParts!(variables, anyone);

test('the first answer does not wait for a deferred part', async () => {
  gate = Promise.withResolvers();
  const first = await inParts('{ products { id name ...Stars @defer(label: "stars") } } fragment Stars on Product { stars }');
  expect(JSON.parse(first.data!)).toEqual({
    products: [
      { id: 'p0', name: 'Product p0' },
      { id: 'p1', name: 'Product p1' },
    ],
  });
  expect(first.deferred!.pending).toEqual([
    { id: '0', path: ['products', 0], label: 'stars' },
    { id: '1', path: ['products', 1], label: 'stars' },
  ]);
  gate.resolve();
  expect(await first.deferred!.events.next()).toEqual({
    done: false,
    value: {
      completed: [
        { id: '0', path: ['products', 0], label: 'stars', data: '{"stars":4.5}' },
        { id: '1', path: ['products', 1], label: 'stars', data: '{"stars":4.5}' },
      ],
      pending: [],
      hasNext: false,
    },
  });
  expect((await first.deferred!.events.next()).done).toBe(true);
});

test('a part of the same subgraph is fetched separately, and nested parts follow the part that contains them', async () => {
  const text = '{ product { id ... @defer { name ... @defer(label: "inner") { owner { city } } } } }';
  const first = await inParts(text);
  expect(JSON.parse(first.data!)).toEqual({ product: { id: 'p0' } });
  const { value } = await first.deferred!.events.next();
  expect(value).toMatchObject({
    completed: [{ path: ['product'], data: '{"name":"Product p0"}' }],
    pending: [{ path: ['product'], label: 'inner' }],
    hasNext: true,
  });
  expect((await askInParts(gateway, text)).data).toEqual({ product: { id: 'p0', name: 'Product p0', owner: { city: 'Bern' } } });
});

test('a part three levels deep waits for the objects that it belongs to', async () => {
  const text = '{ ... @defer { ... @defer { reviewed { ... @defer { name } } } } }';
  expect((await askInParts(gateway, text)).data).toEqual({ reviewed: [{ name: 'Product p0' }] });
});

test('a part comes although the plan lets it wait for its own fetch', async () => {
  makeData(5, { nulls: 0, wrongNulls: 0, errors: 0, missing: 0 });
  const text = `query ($no: Boolean! = false, $yes: Boolean! = true) {
      docs { org { ... @skip(if: $no) { boss @include(if: $yes) { ... @defer { __typename } discount(pct: 6) } } } }
      search { ... on Doc @defer { author { home { zip } ... @defer { badge } friends { bought { __typename } } } } }
    }`;
  const { steps, failed: _, ...merged } = await askInParts(generated, text);
  expect(merged).toEqual(await ask(generated, text));
  expect(JSON.stringify(merged)).toContain('badge');
});

test('the parts of a mutation wait for the fetches of their own field', async () => {
  makeData(1, { nulls: 10, wrongNulls: 0, errors: 0, missing: 0 });
  const text = `mutation {
      ping(times: 6)
      rename(id: "Book1", input: { rank: LOW }) { past { ... on Robot @defer { maker { rank ... on User @defer { age } } } } }
      buy(id: "gone") { ... on Bought { by { name @skip(if: false) ... on Being @defer { __typename } } } }
      again: rename(id: "Book1", input: { rank: HIGH }) { docs { ... on Doc @defer { summary } } }
    }`;
  const { failed: _, ...whole } = await inPartsOfOneSchema({ text, variables: {} });
  const { steps: __, failed, ...merged } = await askInParts(generated, text);
  expect(merged).toEqual({ data: whole.data });
  expect([failed, JSON.stringify(merged)]).toEqual([[], expect.stringContaining('"summary":"word')]);
});

test('nothing is deferred in an object whose type only another subgraph knows, for which the planner would not end', async () => {
  const text = '{ bestItem { ... on Book { id owner { id } ... @defer { pages } } } ... @defer { anyone { name } } }';
  expect((await askInParts(generated, text)).steps).toHaveLength(2);
});

test('parts can be at the root, in objects without a key, and below others of the same name', async () => {
  const text = `{ ... @defer { products(first: 1) { ...P } } product { owner { name ... @defer { city } } ...P } }
    fragment P on Product { id ... @defer { reviews { text author { name } } } }`;
  const { steps, failed: _, ...merged } = await askInParts(gateway, text);
  expect(merged).toEqual(await ask(gateway, text));
  expect(steps[0]).toEqual({ data: { product: { owner: { name: 'Ada' }, id: 'p0' } } });
});

test('a condition decides about the parts of each request', async () => {
  const text = 'query ($later: Boolean!) { product { id ... @defer(if: $later) { stars } } }';
  expect((await askInParts(gateway, text, { later: true })).steps).toHaveLength(2);
  expect((await askInParts(gateway, text, { later: false })).steps).toEqual([{ data: { product: { id: 'p0', stars: 4.5 } } }]);
  expect((await askInParts(gateway, '{ product { id ... @defer(if: false) { stars } } }')).steps).toHaveLength(1);
});

test('an error stays in its part, and a null propagates to the fragment at most', async () => {
  failing = true;
  const { data, errors } = await askInParts(gateway, '{ products { id ... @defer { stars } ... @defer { price } } }');
  expect(data).toEqual({ products: [{ id: 'p0', stars: 4.5, price: 7 }, { id: 'p1' }] });
  expect(errors).toHaveLength(2);
  expect(errors).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ message: 'No stars', path: ['products', 1, 'stars'] }),
      expect.objectContaining({ message: expect.stringContaining('Product.price'), path: ['products', 1, 'price'] }),
    ]),
  );
});

test('a part fails rather than replace an object that has come by null, and leaves null where it has come', async () => {
  failing = true;
  const known = { data: { other: { id: 'p1' } } };
  expect(await askInParts(gateway, '{ other { id } ... @defer { other { price } product { price } } }')).toMatchObject({
    ...known,
    steps: [known, { ...known, errors: [{ message: expect.stringContaining('Product.price'), path: ['other', 'price'] }] }],
    failed: [[]],
  });
  expect(await askInParts(gateway, '{ other { price } ... @defer { other { id } product { price } } }')).toMatchObject({
    data: { other: null, product: { price: 7 } },
    steps: [{ data: { other: null } }, { data: { other: null, product: { price: 7 } } }],
    failed: [],
  });
});

test('an error of a fetch comes with the part that contains its field', async () => {
  failing = true;
  const { steps } = await askInParts(gateway, '{ product { owner { name ... @defer { city } } } }');
  expect(steps).toEqual([
    { data: { product: { owner: { name: 'Ada' } } } },
    {
      data: { product: { owner: { name: 'Ada', city: null } } },
      errors: [expect.objectContaining({ message: 'No city', path: ['product', 'owner', 'city'] })],
    },
  ]);
});

test('a mutation can defer, and a caller who takes no parts gets one complete answer', async () => {
  const text = 'mutation { touch { id ... @defer { stars } } }';
  const complete = { data: { touch: { id: 'p0', stars: 4.5 } } };
  expect(await ask(gateway, text)).toEqual(complete);
  expect(await askInParts(gateway, text)).toMatchObject({ ...complete, steps: [{ data: { touch: { id: 'p0' } } }, complete] });
});

test('subscriptions and operations without a deferred part have no parts', () => {
  for (const text of ['subscription { touched { id ... @defer { stars } } }', '{ product { id } }'])
    expect(gateway.operation(parse(text)).executeInParts).toBeUndefined();
});

const limited = (limit: number) => ({ headers: {}, budget: new ResponseBudget(limit) });
const tooLong = { message: expect.stringContaining('at most 500 bytes') };

test('the budget of a response holds for all parts together', async () => {
  const operation = gateway.operation(parse('{ products(first: 2) { id ... @defer { reviews { text } } } }'));
  const first = await operation.executeInParts!({}, limited(500));
  expect(first.errors).toBeUndefined();
  const { value } = await first.deferred!.events.next();
  expect(value!.completed).toMatchObject([{ data: '{"reviews":[{"text":"Good p0"}]}' }, { data: 'null', errors: [tooLong] }]);
});

test('no part follows a first answer that exceeds the budget', async () => {
  const operation = gateway.operation(parse('{ products(first: 9) { id ... @defer { stars } } }'));
  expect(await operation.executeInParts!({}, limited(500))).toEqual({ errors: [expect.objectContaining(tooLong)] });
});

test('a part can contain more parts than a function can have arguments', async () => {
  const parts = Array.from({ length: 10 }, (_, at) => `... @defer { _${at}: __typename }`).join(' ');
  const operation = gateway.operation(parse(`{ ... @defer { products(first: 13000) { ${parts} } } }`));
  const { deferred } = await operation.executeInParts!({}, anyone);
  expect((await deferred!.events.next()).value!.pending).toHaveLength(130_000);
  expect((await deferred!.events.next()).value!.completed).toHaveLength(13_000);
});

test('the places of parts count, so that many small parts cannot exceed the budget of a response', async () => {
  let length = 0;
  const write = (now: number) => {
    length = now;
  };
  const budget = { limit: 0, read() {}, values() {}, restart() {}, write };
  const operation = gateway.operation(parse('{ products(first: 500) { ... @defer { __typename } } }'));
  const { deferred } = await operation.executeInParts!({}, { headers: {}, budget: budget as never });
  expect(length).toBeGreaterThan(JSON.stringify(deferred!.pending).length);
});

test('a fault of the gateway in one part does not complete another before its time', async () => {
  gate = Promise.withResolvers();
  const text = '{ product { id ... @defer(label: "slow") { stars } ... @defer(label: "broken") { name } } }';
  const context = { headers: {}, onCacheControl: () => undefined as unknown };
  const first = await gateway.operation(parse(text)).executeInParts!({}, context as never);
  context.onCacheControl = () => {
    throw new Error('secret');
  };
  const { value } = await first.deferred!.events.next();
  expect(value!.completed.map(({ label }) => label)).toEqual(['broken']);
  gate.resolve();
  expect((await first.deferred!.events.next()).value!.completed.map(({ label }) => label)).toEqual(['slow']);
});

test('a value that is no JSON fails only its part', async () => {
  const Query = { good: () => 1, odd: () => 1n };
  const odd = gatewayOf(federate([subgraph('odd', 'type Query { good: Int odd: Big } scalar Big', { Query })]));
  expect(await askInParts(odd, '{ good ... @defer { odd } ... @defer { other: good } }')).toMatchObject({
    data: { good: 1, other: 1 },
    errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
    failed: [[]],
  });
  await odd.close();
});

test('a signal ends the parts although a subgraph ignores it', async () => {
  gate = Promise.withResolvers();
  const controller = new AbortController();
  const operation = gateway.operation(parse('{ product { id ... @defer { stars } } }'));
  const { deferred } = await operation.executeInParts!({}, { headers: {}, signal: controller.signal });
  const next = deferred!.events.next();
  controller.abort(new Error('The operation took too long'));
  expect((await next).value).toMatchObject({
    completed: [{ path: ['product'], data: 'null', errors: [{ message: 'The operation took too long' }] }],
    hasNext: false,
  });
  expect((await deferred!.events.next()).done).toBe(true);
  gate.resolve();
});

test('each of many errors is in the part that contains it', async () => {
  failing = true;
  const { data, errors } = await askInParts(gateway, '{ products(first: 300) { id ... @defer { stars } } }');
  expect(errors).toEqual([expect.objectContaining({ message: 'No stars', path: ['products', 1, 'stars'] })]);
  expect(data!.products).toHaveLength(300);
});

test(
  'the parts of an answer are together the complete answer, whatever is deferred',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 0, errors: 0, missing: 0 };
    await whatever({ clashes: true, conditions: true, defers: true }, mishaps, async ({ text, variables }) => {
      const { steps, failed: _, ...merged } = await askInParts(generated, text, variables);
      expect(merged).toEqual(await ask(generated, text, variables));
      for (const step of steps) expect(isPartOf(step.data, merged.data)).toBe(true);
    });
  },
  timeout,
);

test(
  'the parts of an answer are together those of GraphQL.js 17, whatever is deferred',
  async () => {
    const mishaps = { nulls: 10, wrongNulls: 0, errors: 0, missing: 0 };
    await whatever({ clashes: true, conditions: true, defers: true }, mishaps, async ({ text, variables }) => {
      const { steps, failed: _, ...merged } = await askInParts(generated, text, variables);
      const { data, errors } = await inPartsOfOneSchema({ text, variables });
      expect(plain(merged)).toEqual(plain({ data, errors }));
      // A prefix of the stream shows nothing that the complete answer lacks or has otherwise.
      for (const step of steps) expect(isPartOf(step.data, data)).toBe(true);
    });
  },
  timeout,
);

test.each([
  ['fields and items fail', { errors: 6, wrongNulls: 0, failedItems: 3 }],
  ['fields that cannot be null are null', { errors: 0, wrongNulls: 4 }],
  ['anything fails', { errors: 6, wrongNulls: 3, failedItems: 3 }],
])(
  'what has come of an answer in parts is right at any time, also if %s',
  async (_, faults) => {
    const mishaps = { nulls: 10, missing: 0, ...faults };
    await whatever({ clashes: true, conditions: true, defers: true }, mishaps, async ({ text, variables }) => {
      // A failed requirement has a subgraph-specific result.
      fc.pre(!MadeUp.requiring.test(text));
      const { steps, failed } = await askInParts(generated, text, variables);
      const whole = await inPartsOfOneSchema({ text, variables });
      for (const [at, step] of steps.entries()) {
        expect(contradictions({ ...step, failed }, whole, at === steps.length - 1)).toEqual([]);
        // A value that has come stays.
        if (at > 0) expect(isPartOf(steps[at - 1]!.data, step.data)).toBe(true);
      }
    });
  },
  timeout,
);

test(
  'the parts agree with the complete answer up to its nulls, whatever fails',
  async () => {
    // A missing entity is null only where a plan asks for it by key, and plans with parts do so more often.
    const mishaps = { nulls: 10, wrongNulls: 3, errors: 6, missing: 0 };
    await whatever({ clashes: true, conditions: true, defers: true }, mishaps, async ({ text, variables }) => {
      const { data, errors = [] } = await askInParts(generated, text, variables);
      const complete = await ask(generated, text, variables);
      if (errors.length === 0) expect(data).toEqual(complete.data);
      expect(agree(data, complete.data)).toBe(true);
    });
  },
  timeout,
);

/** Whether a value has no field that the other lacks or has otherwise. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole;
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  return Object.entries(part).every(([key, value]) => isPartOf(value, (whole as Record<string, unknown>)[key]));
}

/** Whether two values are equal, apart from nulls and fields that one of them lacks. */
function agree(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return Object.entries(one).every(
    ([key, value]) => !Object.hasOwn(other, key) || agree(value, (other as Record<string, unknown>)[key]),
  );
}
