import fc from 'fast-check';
import { expectTame, openAttacker } from './attacker.ts';

/** Bodies per endpoint; `FUZZ_RUNS` overrides it. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 100);

let attacker: Awaited<ReturnType<typeof openAttacker>>;
beforeAll(async () => {
  attacker = await openAttacker();
});

const anything = fc.oneof(
  fc.json({ maxDepth: 5 }).map((text) => JSON.parse(text)),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\ud800', 1e300, null, [], {}),
);
const mostly = <T>(sound: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: sound }, { weight: 1, arbitrary: anything });
const keys = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', 'k', ''));
const types = fc.constantFrom('text', 'html', 'number', 'date', 'boolean', 'select', 'multiselect');
const attributes = fc.dictionary(
  keys,
  mostly(
    fc.record(
      { attributeId: anything, attributeName: mostly(fc.string()), attributeType: mostly(types), value: anything },
      { requiredKeys: [] },
    ),
  ),
);
const id = fc.oneof(fc.uuid(), fc.string());

const bodies: Record<string, fc.Arbitrary<unknown>> = {
  '/products/create': fc.record(
    {
      sku: mostly(fc.string({ minLength: 1 })),
      name: mostly(fc.string({ minLength: 1 })),
      brand: anything,
      externalId: mostly(fc.string()),
      parentId: mostly(id),
      isParent: mostly(fc.boolean()),
      userProvidedRawDataSources: anything,
      attributes: mostly(attributes),
    },
    { requiredKeys: ['sku', 'name'] },
  ),
  '/products/get': fc.record(
    {
      page: mostly(fc.integer()),
      limit: mostly(fc.integer({ min: -1, max: 101 })),
      search: mostly(fc.string({ unit: 'binary' })),
      sortBy: mostly(fc.constantFrom('sku', 'name', 'brand')),
      sortOrder: mostly(fc.constantFrom('asc', 'desc')),
      parentFilter: mostly(fc.constantFrom('parent', 'all')),
      enrichedFilter: mostly(fc.constantFrom('enriched', 'all')),
    },
    { requiredKeys: [] },
  ),
};

test.each(Object.entries(bodies))('any request to %s fails only in the documented form', async (path, body) => {
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: body }, { weight: 1, arbitrary: anything }), async (sent) => {
      const answer = await attacker.rest(path, JSON.stringify(sent));
      expectTame({ ...answer, text: answer.status < 400 ? '' : answer.text.replace(/attributes\..* (is no|must)/s, '') });
      expect(JSON.parse(answer.text)).toEqual(
        answer.status === 200 ? { success: true, data: expect.anything() } : { success: false, message: expect.any(String) },
      );
    }),
    { numRuns },
  );
});
