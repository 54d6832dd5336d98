import { validateAttributes } from '../../subgraphs/catalog/extraction/validate-attributes.ts';
import { says, startProvider } from './support/provider.ts';
import { attributes, modelAt, text } from './support/samples.ts';

const [attribute] = attributes;
const verdict = { source: 's1', quote: 'It says so', explanation: 'The source says so.', verdict: 'confirmed' };

async function validate(confidence: unknown) {
  await using provider = await startProvider(says({ [attribute!.slug]: { ...verdict, confidence } }));
  const { judgements } = await validateAttributes(modelAt(provider.url), {
    tier: 'budget-v1',
    attributes: [attribute!],
    product: { name: 'Thing' },
    existing: { [attribute!.slug]: 'x' },
    sources: [text('It says so.')],
  });
  return { judgement: judgements[attribute!.slug], requests: provider.received.length };
}

test.each([
  [null, 50],
  ['90', 90],
  [101, 100],
  [0.85, 85],
])('a verdict with the confidence %j counts with %i, after one request', async (given, confidence) => {
  expect(await validate(given)).toEqual({
    judgement: { isValid: true, confidence, explanation: verdict.explanation },
    requests: 1,
  });
});
