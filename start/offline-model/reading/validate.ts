import type { AttributeValue } from '../../../subgraphs/catalog/extraction/attribute.ts';
import type { Material } from '../../../subgraphs/catalog/extraction/prompt.ts';
import type { ExtractionRequest, Wanted } from '../extraction-request.ts';
import { findValue } from './extract.ts';
import { confidence, type Finding, same } from './finding.ts';
import { type Passages, passagesOf } from './passages.ts';
import { placesOf, plain, tokensOf } from './words.ts';

interface Answer {
  verdict: 'confirmed' | 'contradicted' | 'not_stated';
  confidence: number;
  source: string | null;
  quote: string | null;
  explanation: string;
}

const NOT_STATED: Answer = {
  verdict: 'not_stated',
  confidence: 50,
  source: null,
  quote: null,
  explanation: 'No source states this, so the value is neither confirmed nor contradicted.',
};

/** The reply to a validation: a verdict with a quote for each existing value. */
export function validate({ attributes, material }: ExtractionRequest): Record<string, Answer> {
  // The record itself is under validation, so it is not evidence.
  const passages = passagesOf({ ...material, product: {} });
  return Object.fromEntries(
    attributes.map((attribute) => [
      attribute.property,
      judge(attribute, material.existing[attribute.property] ?? null, passages, material),
    ]),
  );
}

function judge(attribute: Wanted, existing: AttributeValue, passages: Passages, { sources }: Material): Answer {
  if (existing === null) return NOT_STATED;
  const written = attribute.type === 'html' || (typeof existing === 'string' && existing.length > 120);
  // A text that was composed from the sources is not quoted in any of them.
  const found = written ? undefined : findValue(loose(attribute), passages);
  if (found && found.source !== null) return agree(existing, found.value) ? confirmed(found) : contradicted(existing, found);
  const mention = written ? undefined : mentioned(existing, passages);
  return mention && sources.some(({ id }) => id === mention.source) ? confirmed(mention) : NOT_STATED;
}

/** Evidence counts even if it would not be a permitted value. */
const loose = (attribute: Wanted): Wanted => ({ ...attribute, constraints: {} });

function agree(existing: NonNullable<AttributeValue>, found: NonNullable<AttributeValue>): boolean {
  if (typeof existing === 'number' || typeof found === 'number') return same(existing, found);
  const words = (value: NonNullable<AttributeValue>) =>
    [value]
      .flat()
      .map((each) => tokensOf(String(each)).join(' '))
      .sort();
  const [ours, theirs] = [words(existing), words(found)];
  return ours.length === theirs.length && ours.every((each, at) => each === theirs[at]);
}

/** A text value inside a sentence, without its label. */
function mentioned(existing: NonNullable<AttributeValue>, { sentences }: Passages): Finding | undefined {
  if (typeof existing !== 'string' || existing.trim().length < 3) return undefined;
  const sentence = sentences.find(({ text, source }) => source !== null && placesOf(existing, plain(text)).length > 0);
  return sentence && { value: existing, confidence: confidence.fuzzy, source: sentence.source, quote: sentence.text };
}

const confirmed = ({ confidence: sure, source, quote }: Finding): Answer => ({
  verdict: 'confirmed',
  confidence: sure,
  source,
  quote,
  explanation: `The source says “${quote}”, which agrees with the value.`,
});

const contradicted = (existing: NonNullable<AttributeValue>, { value, confidence: sure, source, quote }: Finding): Answer => ({
  verdict: 'contradicted',
  confidence: sure,
  source,
  quote,
  explanation: `The source says “${quote}”, which gives ${[value].flat().join(', ')} and not ${[existing].flat().join(', ')}.`,
});
