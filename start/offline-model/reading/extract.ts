import type { AttributeValue } from '../../../subgraphs/common/model/attribute.ts';
import { checkValue } from '../../../subgraphs/common/model/constraints.ts';
import type { ExtractionRequest, Wanted } from '../extraction-request.ts';
import { findBooleans } from './booleans.ts';
import { compose } from './composing.ts';
import { findDates } from './dates.ts';
import { type Finder, settle } from './finding.ts';
import { findNumbers } from './numbers.ts';
import { findOption, findOptions } from './options.ts';
import { passagesOf } from './passages.ts';
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
}

const NOTHING: Answer = { value: null, confidence: 0, source: null, quote: null };

/** The reply to an extraction: what the material states, with the words that state it; null for the rest. */
export function extract({ attributes, material }: ExtractionRequest): Record<string, Answer> {
  const passages = passagesOf(material);
  return Object.fromEntries(
    attributes.map((attribute) => {
      const find = attribute.constraints.format ? compose : finders[attribute.type];
      const findings = find(attribute, passages).filter(({ value }) => checkValue(attribute, value) === null);
      return [attribute.property, settle(findings) ?? kept(attribute, material.existing[attribute.property])];
    }),
  );
}

/** What was there before stays when no source speaks of it. */
const kept = (attribute: Wanted, value: AttributeValue | undefined): Answer =>
  value === undefined || value === null || checkValue(attribute, value) ? NOTHING : { ...NOTHING, value, confidence: 70 };
