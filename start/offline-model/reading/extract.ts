import type { AttributeValue } from '../../../subgraphs/catalog/extraction/attribute.ts';
import { checkValue } from '../../../subgraphs/catalog/extraction/constraints.ts';
import type { ExtractionRequest, Wanted } from '../extraction-request.ts';
import { Learner } from '../learning/learn.ts';
import { findBooleans } from './booleans.ts';
import { compose } from './composing.ts';
import { findDates } from './dates.ts';
import { confidence, type Finder, type Finding, settle } from './finding.ts';
import { findNumbers } from './numbers.ts';
import { findOption, findOptions } from './options.ts';
import { type Passages, passagesOf } from './passages.ts';
import { findHtml, findText } from './prose.ts';

const finders: Record<Wanted['type'], Finder> = {
  text: findText,
  html: findHtml,
  number: findNumbers,
  date: findDates,
  boolean: findBooleans,
  select: findOption,
  multiselect: findOptions,
};

interface Answer {
  value: AttributeValue;
  confidence: number;
  source: string | null;
  quote: string | null;
  derived: string | null;
}

const NOTHING: Answer = { value: null, confidence: 0, source: null, quote: null, derived: null };

/** The reply to an extraction: the value of each attribute with a quote, or null. */
export function extract({ attributes, material }: ExtractionRequest): Record<string, Answer> {
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
      return [property, found ? { ...found, derived } : kept(attribute, material.existing[property])];
    }),
  );
}

const validOf = (attribute: Wanted, found: Finding | undefined) =>
  found && checkValue(attribute, found.value) === null ? found : undefined;

/** The value of the attribute if the passages agree on one. */
export function findValue(attribute: Wanted, passages: Passages): Finding | undefined {
  const find = attribute.constraints.format ? compose : finders[attribute.type];
  return settle(find(attribute, passages).filter(({ value }) => checkValue(attribute, value) === null));
}

/** Keeps the existing value if no source mentions the attribute. */
const kept = (attribute: Wanted, value: AttributeValue | undefined): Answer =>
  value === undefined || value === null || checkValue(attribute, value) ? NOTHING : { ...NOTHING, value, confidence: 70 };
