import { numbersIn } from '../../subgraphs/catalog/extraction/literals.ts';
import { readOffers } from '../../subgraphs/catalog/extraction/read-offers.ts';
import { validateAttributes } from '../../subgraphs/catalog/extraction/validate-attributes.ts';
import { says, startProvider } from '../model/support/provider.ts';
import { modelAt, text } from '../model/support/samples.ts';

const page = 'Torvik DD18. Price: €129.90, was €149.90. In stock.';
const offer = { price: 129.9, originalPrice: 149.9, currency: 'EUR', availability: 'in_stock' };

async function offersOf(...replies: object[]) {
  await using provider = await startProvider(...replies.map((reply) => says(reply)));
  const product = { name: 'Torvik DD18' };
  const { offers } = await readOffers(modelAt(provider.url), { tier: 'budget-v1', product, sources: [text(page)] });
  return { offer: offers.get('s1'), requests: provider.received.length };
}

test('an offer with evidence on its page is accepted', async () => {
  expect(await offersOf({ s1: offer })).toEqual({ offer, requests: 1 });
});

test.each([{ price: 128 }, { price: -129.9 }, { currency: 'USD' }, { currency: 'euros' }])(
  'an offer with %j does not stand there: it goes back, and in the end is none',
  async (lie) => {
    expect(await offersOf({ s1: { ...offer, ...lie } })).toEqual({ offer: undefined, requests: 3 });
    expect(await offersOf({ s1: { ...offer, ...lie } }, { s1: offer })).toEqual({ offer, requests: 2 });
  },
);

test('a former price without evidence on the page is omitted', async () => {
  expect((await offersOf({ s1: { ...offer, originalPrice: 199 } })).offer).toEqual({ ...offer, originalPrice: null });
});

test('numbers are parsed in every notation', () => {
  expect([...numbersIn('1.299,00 €')]).toContain(1299);
  expect([...numbersIn('$1,299.50')]).toContain(1299.5);
  expect([...numbersIn('1 299,00')]).toContain(1299);
  expect([...numbersIn('2.345')]).toEqual(expect.arrayContaining([2345, 2.345]));
  expect([...numbersIn('129')]).not.toContain(12);
});

test('a verdict without a quote from a source is dropped', async () => {
  const verdict = { verdict: 'contradicted', confidence: 99, source: 's1', quote: 'Color: blue', explanation: 'It is blue.' };
  await using provider = await startProvider(says({ color: verdict }));
  const color = { id: '1', slug: 'color', name: 'Color', type: 'text' as const, prompt: '', options: [], constraints: {} };
  const { judgements } = await validateAttributes(modelAt(provider.url), {
    tier: 'budget-v1',
    attributes: [color],
    product: { name: 'Torvik DD18' },
    existing: { color: 'red' },
    sources: [text('Color: red')],
  });
  expect(judgements.color).toMatchObject({ isValid: true, confidence: 50 });
});
