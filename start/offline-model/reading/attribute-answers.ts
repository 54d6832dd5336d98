import type { AttributeContent } from '../../../subgraphs/catalog/attributes/attribute-content.ts';
import { checkValue } from '../../../subgraphs/catalog/extraction/constraints.ts';
import type { Material } from '../../../subgraphs/catalog/extraction/extraction-prompt.ts';
import { Learner } from '../learning/learner.ts';
import { findDates, findNumbers } from './amounts.ts';
import { findBooleans, findOption, findOptions } from './choices.ts';
import {
  bestFinding,
  confidence,
  type ExtractionRequest,
  type Finder,
  type Finding,
  type RequestedAttribute,
  same,
} from './extraction-request.ts';
import { type Passages, passagesOf } from './passages.ts';
import { compose, findHtml, findText } from './prose.ts';
import { placesOf, plain, tokensOf } from './synonyms.ts';

const finders: Record<RequestedAttribute['type'], Finder> = {
  text: findText,
  html: findHtml,
  number: findNumbers,
  date: findDates,
  boolean: findBooleans,
  select: findOption,
  multiselect: findOptions,
};

interface Extracted {
  value: AttributeContent;
  confidence: number;
  source: string | null;
  quote: string | null;
  derived: string | null;
}

const NOTHING: Extracted = { value: null, confidence: 0, source: null, quote: null, derived: null };

/** The reply to an extraction: the value of each attribute with a quote, or null. */
export function extract({ attributes, material }: ExtractionRequest): Record<string, Extracted> {
  const passages = passagesOf(material);
  const learner = new Learner(
    material,
    attributes.filter(({ type, constraints }) => type === 'text' && !constraints.format).map(({ property }) => property),
  );
  return Object.fromEntries(
    attributes.map((attribute) => {
      const { property, type, constraints } = attribute;
      const stated = findValue(attribute, passages);
      const found =
        stated && stated.confidence > confidence.fuzzy ? stated : (validOf(attribute, learner.find(property)) ?? stated);
      const derived =
        type === 'text' && found && !constraints.format && !found.quote.includes(String(found.value)) ? 'written' : null;
      return [property, found ? { ...found, derived } : existingValue(attribute, material.existing[property])];
    }),
  );
}

const validOf = (attribute: RequestedAttribute, found: Finding | undefined) =>
  found && checkValue(attribute, found.value) === null ? found : undefined;

/** The value of the attribute if the passages agree on one. */
function findValue(attribute: RequestedAttribute, passages: Passages): Finding | undefined {
  const find = attribute.constraints.format ? compose : finders[attribute.type];
  return bestFinding(find(attribute, passages).filter(({ value }) => checkValue(attribute, value) === null));
}

/** Keeps the existing value if no source mentions the attribute. */
const existingValue = (attribute: RequestedAttribute, value: AttributeContent | undefined): Extracted =>
  value === undefined || value === null || checkValue(attribute, value) ? NOTHING : { ...NOTHING, value, confidence: 70 };

interface Verdict {
  verdict: 'confirmed' | 'contradicted' | 'not_stated';
  confidence: number;
  source: string | null;
  quote: string | null;
  explanation: string;
}

const NOT_STATED: Verdict = {
  verdict: 'not_stated',
  confidence: 50,
  source: null,
  quote: null,
  explanation: 'No source states this, so the value is neither confirmed nor contradicted.',
};

/** The reply to a validation: a verdict with a quote for each existing value. */
export function validate({ attributes, material }: ExtractionRequest): Record<string, Verdict> {
  // The record itself is under validation, so it is not evidence.
  const passages = passagesOf({ ...material, product: {} });
  return Object.fromEntries(
    attributes.map((attribute) => [
      attribute.property,
      judge(attribute, material.existing[attribute.property] ?? null, passages, material),
    ]),
  );
}

function judge(attribute: RequestedAttribute, existing: AttributeContent, passages: Passages, { sources }: Material): Verdict {
  if (existing === null) return NOT_STATED;
  const written = attribute.type === 'html' || (typeof existing === 'string' && existing.length > 120);
  // A text that was composed from the sources is not quoted in any of them.
  const found = written ? undefined : findValue(loose(attribute), passages);
  if (found && found.source !== null) return agree(existing, found.value) ? confirmed(found) : contradicted(existing, found);
  const mention = written ? undefined : mentioned(existing, passages);
  return mention && sources.some(({ id }) => id === mention.source) ? confirmed(mention) : NOT_STATED;
}

/** Evidence counts even if it would not be a permitted value. */
const loose = (attribute: RequestedAttribute): RequestedAttribute => ({ ...attribute, constraints: {} });

function agree(existing: NonNullable<AttributeContent>, found: NonNullable<AttributeContent>): boolean {
  if (typeof existing === 'number' || typeof found === 'number') return same(existing, found);
  const words = (value: NonNullable<AttributeContent>) =>
    [value]
      .flat()
      .map((each) => tokensOf(String(each)).join(' '))
      .sort();
  const [ours, theirs] = [words(existing), words(found)];
  return ours.length === theirs.length && ours.every((each, at) => each === theirs[at]);
}

/** A text value inside a sentence, without its label. */
function mentioned(existing: NonNullable<AttributeContent>, { sentences }: Passages): Finding | undefined {
  if (typeof existing !== 'string' || existing.trim().length < 3) return undefined;
  const sentence = sentences.find(({ text, source }) => source !== null && placesOf(existing, plain(text)).length > 0);
  return sentence && { value: existing, confidence: confidence.fuzzy, source: sentence.source, quote: sentence.text };
}

const confirmed = ({ confidence: sure, source, quote }: Finding): Verdict => ({
  verdict: 'confirmed',
  confidence: sure,
  source,
  quote,
  explanation: `The source says “${quote}”, which agrees with the value.`,
});

const contradicted = (existing: NonNullable<AttributeContent>, { value, confidence: sure, source, quote }: Finding): Verdict => ({
  verdict: 'contradicted',
  confidence: sure,
  source,
  quote,
  explanation: `The source says “${quote}”, which gives ${[value].flat().join(', ')} and not ${[existing].flat().join(', ')}.`,
});
