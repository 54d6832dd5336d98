import { checkValue } from '../../subgraphs/catalog/extraction/constraints.ts';
import { labels, seedLabels } from '../brands/labels.ts';

const category = labels[1];

/** A fictional text with the length and style of product pages. */
const page = (tool: string, volts: number) => `Voltage: ${volts} V
Weight: 1.${volts} kg
The ${tool} drives long screws into hard wood without losing speed or grip.
Its brushless motor runs cool and needs no service for many years of daily work.
The battery charges in forty minutes and shows on four lights how much is left.
A metal chuck holds every common bit firmly and opens with one turn of the hand.
The handle of the ${tool} is covered with soft rubber so that it stays safe when it is wet.
Builders like that the lamp below the chuck lights the place of work evenly.
It comes in a strong case with two batteries and a charger for both.`;

test('a category without attributes gets the six default attributes, each within its constraints', async () => {
  const { addProducts, enrich } = await seedLabels(category);
  await addProducts('cordless drills', [
    { name: 'Drill A', userProvidedRawDataSources: [page('compact drill', 12)] },
    { name: 'Drill B', userProvidedRawDataSources: [page('hammer drill', 18)] },
  ]);
  const { items } = await enrich([{ name: 'Cordless drills' }]);
  expect(items[0]).toMatchObject({ status: 'completed', errorMessage: null });
  const values = items[0].enrichedAttributes;
  expect(Object.keys(values).sort()).toEqual(Object.keys(constraints).sort());
  expect(values.page_title).toEqual({
    attributeId: 'page_title',
    attributeName: 'Page Title',
    attributeType: 'text',
    value: 'Cordless Drills',
  });
  expect(values.focus_keywords.value).toBe('cordless drills');
  expect(values.slug.value).toMatch(/^cordless-drills(-[a-z]+){1,3}$/);
  expect(values.meta_keywords.value.split(', ').length).toBeGreaterThanOrEqual(5);
  for (const [slug, { attributeType: type, value }] of Object.entries<{ attributeType: 'text' | 'html'; value: string }>(values)) {
    expect([slug, value]).toEqual([slug, expect.any(String)]);
    expect([slug, checkValue({ type, options: [], constraints: constraints[slug]! }, value)]).toEqual([slug, null]);
  }
});

const constraints: Record<string, Parameters<typeof checkValue>[0]['constraints']> = {
  page_title: { maxLength: 60, format: 'title-case' },
  meta_description: { maxLength: 160 },
  meta_keywords: { minItems: 5, maxItems: 10, format: 'keywords' },
  description: { minWords: 150, maxWords: 350, format: 'html-section' },
  slug: { maxLength: 75, minWords: 3, maxWords: 5, format: 'kebab-case' },
  focus_keywords: { minWords: 1, maxWords: 3, format: 'lowercase' },
};

test('attributes without enough source text stay null', async () => {
  const { addProducts, enrich } = await seedLabels(category);
  await addProducts('Saws', [{ name: 'S' }]);
  const { items } = await enrich([{ name: 'Saws' }]);
  expect(items[0].status).toBe('completed');
  const { page_title, description, meta_description } = items[0].enrichedAttributes;
  expect(page_title.value).toBe('Saws');
  expect([description.value, meta_description.value]).toEqual([null, null]);
});

test('attributes of the organization replace the defaults, even if inactive', async () => {
  const { addAttribute, addProducts, enrich } = await seedLabels(category);
  await addProducts('Saws', [{ name: 'Blade saw', userProvidedRawDataSources: ['Audience: builders'] }]);
  await addAttribute({ slug: 'audience', name: 'Audience', type: 'text', isActive: false });
  expect((await enrich([{ name: 'Saws' }])).items[0].errorMessage).toBe('There are no active attributes to fill in');
  await addAttribute({ slug: 'audience-2', name: 'Audience', type: 'text', constraints: { format: 'lowercase' } });
  expect(Object.keys((await enrich([{ name: 'Saws' }])).items[0].enrichedAttributes)).toEqual(['audience-2']);
});
