import type { EnumValue } from '../../../schema/enums.ts';
import type { AttributeContent } from '../attributes/attribute-content.ts';
import type { AttributeRequest } from './extraction-prompt.ts';
import { numbersIn } from './literals.ts';

export type Evidence = EnumValue<'ValueEvidence'>;

/** The reasons a model can give for a value that its quote does not contain. */
export const DERIVATIONS = ['unit', 'list', 'yes_no', 'spelling', 'translation', 'written'] as const;
type Derivation = (typeof DERIVATIONS)[number];

/** Highest confidence of a value whose quote is invented, and of a value that no source contains. */
const MAX_INVENTED_QUOTE = 50;
const MAX_UNSUPPORTED = 20;

export interface Claim {
  attribute: AttributeRequest;
  value: NonNullable<AttributeContent>;
  /** The quote as the model gave it. */
  quote: string | null;
  /** Whether the cited source contains the quote. */
  isQuoted: boolean;
  derived: unknown;
  /** All texts that the model was given about the record. */
  material: Texts;
  existing?: AttributeContent;
  known: readonly string[];
}

/** Judges how well the material supports a value. Values that do not occur in their sources are almost always wrong. */
export function evidenceOf({ attribute, value, quote, isQuoted, derived, material, existing, known }: Claim): Evidence {
  if (isQuoted && quote !== null) {
    if (states(quote, value)) return 'quoted';
    if (isDerived(attribute, value, quote, { derived, known })) return 'derived';
  } else if (quote === null && existing !== undefined && String(existing) === String(value)) {
    return 'existing';
  }
  return material.state(value) ? 'stated' : 'unsupported';
}

/** Lowers the confidence of a value by its evidence. */
export function weighConfidence(confidence: number, { attribute, quote, isQuoted }: Claim, evidence: Evidence): number {
  if (quote !== null && !isQuoted) return Math.min(confidence, evidence === 'unsupported' ? MAX_UNSUPPORTED : MAX_INVENTED_QUOTE);
  // A composed text, such as a description, occurs in no source.
  return evidence === 'unsupported' && !isComposed(attribute) ? Math.min(confidence, MAX_UNSUPPORTED) : confidence;
}

/** Compares words, so that `red` is not part of `covered` and `K-Cup` equals `K cup`. */
const wordsOf = (text: string) =>
  ` ${text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** A text whose words and numbers are read once, because a long one takes many milliseconds. */
class Text {
  #words: string | undefined;
  #numbers: ReadonlySet<number> | undefined;

  constructor(private readonly text: string) {}

  states(value: NonNullable<AttributeContent>): boolean {
    if (typeof value === 'boolean') return false;
    if (typeof value === 'number') return this.numbers.has(Math.abs(value));
    if (Array.isArray(value)) return value.length > 0 && value.every((each) => this.states(each));
    const words = wordsOf(value);
    return words.trim() === '' ? this.text.includes(value.trim()) : this.words.includes(words);
  }

  private get words(): string {
    this.#words ??= wordsOf(this.text);
    return this.#words;
  }

  private get numbers(): ReadonlySet<number> {
    this.#numbers ??= numbersIn(this.text);
    return this.#numbers;
  }
}

/** The texts that the model was given about a record. Create them once for all attributes of a reply. */
export class Texts {
  readonly #texts: Text[];

  constructor(texts: readonly unknown[]) {
    this.#texts = texts.filter((text) => typeof text === 'string').map((text) => new Text(text));
  }

  /** Whether one of the texts states the value. */
  state(value: NonNullable<AttributeContent>): boolean {
    return this.#texts.some((text) => text.states(value));
  }
}

const states = (text: string, value: NonNullable<AttributeContent>): boolean => new Text(text).states(value);

const NUMERAL =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|quarter|single|double|triple|pair|once|twice)\b/i;

function isDerived(
  attribute: AttributeRequest,
  value: NonNullable<AttributeContent>,
  quote: string,
  { derived, known }: { derived: unknown; known: readonly string[] },
): boolean {
  switch (attribute.type) {
    case 'number':
      return NUMERAL.test(quote);
    case 'date':
      return /\d/.test(quote);
    case 'boolean':
    case 'html':
    case 'select':
    case 'multiselect':
      return true;
    case 'text':
      return isComposed(attribute) || (isDerivation(derived) && fits[derived](String(value), quote, { attribute, known }));
  }
}

const isDerivation = (derived: unknown): derived is Derivation => DERIVATIONS.includes(derived as Derivation);
const isComposed = ({ type, constraints: { format } }: AttributeRequest) => type === 'html' || Boolean(format);

type Fits = (value: string, quote: string, context: { attribute: AttributeRequest; known: readonly string[] }) => boolean;

/** Whether a reason can explain the difference between a text value and its quote. */
const fits: Record<Derivation, Fits> = {
  unit: (value, quote) => NUMERAL.test(value) && NUMERAL.test(quote),
  list(value, quote) {
    const text = new Text(quote);
    return value.split(/[,;/]|\band\b/).some((part) => part.trim() !== '' && text.states(part));
  },
  yes_no: (value) => /^(?:yes|no|true|false)\b/i.test(value),
  spelling: (value, _quote, { known }) => known.includes(value),
  translation: () => true,
  written: (_value, _quote, { attribute: { prompt, categoryPrompt } }) => Boolean(prompt || categoryPrompt),
};
