import { fitIsotonic } from '../../subgraphs/catalog/calibration/calibrate.ts';
import { color, originOf, seedCatalog } from '../support/enrichment.ts';
import { database } from '../support/seed.ts';

const REVIEW = 'mutation ($itemId: ID!, $decisions: [Decision!]!) { reviewItem(itemId: $itemId, decisions: $decisions) { id } }';
const REPORT = `query ($slug: String) { confidenceReport(slug: $slug) {
  count calibrationError statedCalibrationError bands { from count right confidence statedConfidence }
  groups { slug modelType count right confidence statedConfidence calibrationError statedCalibrationError } } }`;

test('a calibration is monotone, continuous and never certain', () => {
  const calibrate = fitIsotonic([
    { stated: 60, count: 20, right: 12 },
    { stated: 80, count: 20, right: 8 },
    { stated: 95, count: 60, right: 57 },
  ]);
  const mapped = Array.from({ length: 101 }, (_, stated) => calibrate(stated));
  const steps = mapped.slice(1).map((each, at) => each - mapped[at]!);
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...steps)).toBeLessThan(5);
  expect(calibrate(70)).toBeCloseTo(50, 0);
  expect(calibrate(95)).toBeCloseTo(94, 0);
  expect(fitIsotonic([{ stated: 95, count: 40, right: 40 }])(95)).toBeLessThan(100);
});

test('reviews and later edits calibrate the confidence of later values', async () => {
  const catalog = await seedCatalog([color]);
  const { items } = await catalog.enrich(await catalog.addColored(32));
  const report = async (slug?: string) => (await catalog.api.graphql(REPORT, { slug })).confidenceReport;
  expect(await report()).toMatchObject({ count: 0, calibrationError: null, bands: [], groups: [] });

  for (const [at, { id }] of items.slice(0, 30).entries())
    await catalog.api.graphql(REVIEW, { itemId: id, decisions: [{ slug: 'color', verdict: at % 2 ? 'accept' : 'reject' }] });
  const attributes = { color: { attributeName: 'Color', attributeType: 'text', value: 'green' } };
  await catalog.api.post(`/api/${catalog.slug}/products/${items[31].productId}/update-attributes`, { attributes });
  expect(await report('color')).toMatchObject({
    count: 31,
    statedCalibrationError: expect.closeTo(95 - (100 * 15) / 31, 1),
    bands: [{ from: 90, count: 31, right: expect.closeTo((100 * 15) / 31, 1), confidence: 95, statedConfidence: 95 }],
    groups: [
      {
        ...{ slug: 'color', modelType: 'budget-v1', count: 31, right: expect.closeTo((100 * 15) / 31, 1) },
        ...{ confidence: 95, calibrationError: expect.closeTo(95 - (100 * 15) / 31, 1) },
        ...{ statedConfidence: 95, statedCalibrationError: expect.closeTo(95 - (100 * 15) / 31, 1) },
      },
    ],
  });

  const later = await catalog.enrich(await catalog.addColored(1));
  const fields = 'provenance { slug confidence statedConfidence }';
  const { provenance } = await catalog.product(later.items[0].productId, fields);
  expect(originOf(provenance, 'color')).toMatchObject({ confidence: 48, statedConfidence: 95 });
  const { rows } = await database().query('select confidence from catalog.proposals where item_id = $1', [later.items[0].id]);
  expect(rows).toEqual([{ confidence: 48 }]);
});

test('another organization is not calibrated by these labels', async () => {
  const { enrich, addColored, api } = await seedCatalog([color]);
  const { items } = await enrich(await addColored(1));
  expect(originOf(items[0].provenance, 'color')).toMatchObject({ confidence: 95 });
  expect((await api.graphql(REPORT)).confidenceReport.count).toBe(0);
});
