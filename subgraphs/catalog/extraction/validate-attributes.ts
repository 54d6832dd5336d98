import {
  askForReply,
  fitSources,
  type Model,
  type ModelAnswer,
  type ModelSource,
  type ModelTier,
} from '../../../platform/model/index.ts';
import { isObject } from '../../../schema/json.ts';
import { storable } from '../../../schema/text.ts';
import type { AttributeContent } from '../attributes/attribute-content.ts';
import {
  ATTRIBUTES,
  type AttributeRequest,
  contains,
  fence,
  type Material,
  messagesOf,
  object,
  propertyNames,
  readAnswers,
} from './extraction-prompt.ts';

export interface ValidationRequest {
  tier: ModelTier;
  /** With distinct slugs; each has an existing value. */
  attributes: readonly AttributeRequest[];
  product: Readonly<Record<string, string | null>>;
  existing: Readonly<Record<string, AttributeContent>>;
  sources: readonly ModelSource[];
  signal?: AbortSignal;
}

/** The result of comparing an existing value with the sources. */
export interface Judgement {
  isValid: boolean;
  /** 0 to 100. */
  confidence: number;
  explanation: string;
}

export interface Validation extends Omit<ModelAnswer<unknown, unknown>, 'values'> {
  /** One per attribute, by slug. */
  judgements: Record<string, Judgement>;
}

const VERDICTS = ['confirmed', 'contradicted', 'not_stated'] as const;
export type Verdict = (typeof VERDICTS)[number];

const RULES = `You check the attributes of one product of a catalog against sources that were read just now.

${fence('product')}
- For each attribute, compare its value under "existing" with what the sources state. The product's own fields are no evidence.
- "confirmed": a source states the value, perhaps in other words, another unit or rounded. "contradicted": a source states another value \
for the same attribute of the same product. "not_stated": the sources do not say, or not clearly.
- "confidence" is how sure you are of the verdict, from 0 to 100.
- "source" is the id of the source that decides, "quote" its words, copied exactly; both null when nothing is stated.
- "explanation" says in one or two sentences what the source states and how it compares.`;

const UNSTATED = 'The sources do not state this, so the value is neither confirmed nor contradicted.';
/** Without evidence, both results are equally likely. */
const undecided = (explanation: string): Judgement => ({ isValid: true, confidence: 50, explanation });

/** Compare a product's values with the sources. Only exact quotes of a source count as evidence. */
export async function validateAttributes(model: Model, request: ValidationRequest): Promise<Validation> {
  const { tier, attributes, product, existing, signal } = request;
  const properties = propertyNames(attributes);
  const sources = fitSources(request.sources);
  const material: Material = {
    product,
    existing: Object.fromEntries([...properties].map(([property, { slug }]) => [property, existing[slug] ?? null])),
    sources,
  };
  const conversation = messagesOf([RULES, '', ATTRIBUTES], properties, material);
  const schema = schemaOf(properties, sources);
  const { values, ...answer } = await askForReply(
    model,
    { tier, name: 'validation', schema, conversation, signal, mayBeEmpty: true },
    (text) => readAnswers(text, properties, (answer, _attribute, { confidenceOf }) => readJudgement(answer, sources, confidenceOf)),
  );
  const judgements = attributes.map((each) => [each.slug, values.get(each) ?? undecided(UNSTATED)]);
  return { ...answer, judgements: Object.fromEntries(judgements) };
}

const schemaOf = (properties: ReadonlyMap<string, AttributeRequest>, sources: readonly ModelSource[]) =>
  object(
    [...properties.keys()].map((name) => [
      name,
      object([
        ['source', { type: ['string', 'null'], enum: [...sources.map(({ id }) => id), null] }],
        ['quote', { type: ['string', 'null'], description: 'The words of the source that decide, copied exactly.' }],
        ['explanation', { type: 'string' }],
        ['verdict', { type: 'string', enum: VERDICTS }],
        ['confidence', { type: 'integer', description: '0 to 100' }],
      ]),
    ]),
  );

function readJudgement(
  answer: unknown,
  sources: readonly ModelSource[],
  confidenceOf: (confidence: unknown) => number,
): Judgement | { fault: string } {
  if (!isObject(answer) || !VERDICTS.includes(answer.verdict as Verdict))
    return { fault: 'is missing; give an object of source, quote, explanation, verdict and confidence' };
  const { verdict, confidence, source, quote, explanation } = answer;
  if (typeof explanation !== 'string' || !explanation.trim()) return { fault: 'its explanation must not be empty' };
  if (verdict === 'not_stated') return undecided(storable(explanation.trim()));
  const cited = sources.find(({ id }) => id === source);
  if (!cited || typeof quote !== 'string' || !quote.trim() || !contains([cited.title, cited.text], quote))
    return { fault: 'its quote must be words of the source it names, copied exactly; or the verdict is not_stated' };
  return {
    isValid: verdict === 'confirmed',
    confidence: confidenceOf(confidence),
    explanation: storable(explanation.trim()),
  };
}
