import {
  askForReply,
  type CheckedReply,
  fitSources,
  type Model,
  type ModelAnswer,
  type ModelSource,
  type ModelTier,
  SOURCE_BUDGET,
} from '../../../platform/model/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { isObject } from '../../../schema/json.ts';
import { storable } from '../../../schema/text.ts';
import type { AttributeContent } from '../attributes/attribute-content.ts';
import { readValue } from './constraints.ts';
import {
  type AttributeRequest,
  contains,
  type Example,
  type JsonSchema,
  type Material,
  messages,
  object,
  propertyNames,
  readAnswers,
} from './extraction-prompt.ts';
import { numbersIn } from './literals.ts';

interface ExtractionRequest {
  tier: ModelTier;
  /** With distinct slugs. */
  attributes: readonly AttributeRequest[];
  /** Kind of record that the attributes describe; `product` by default. */
  subject?: EnumValue<'AttributeSubject'>;
  /** Fields of the record: name, sku, brand, category, … */
  product: Readonly<Record<string, string | null | undefined>>;
  /** Existing values by slug. */
  existing?: Readonly<Record<string, AttributeContent>>;
  sources: readonly ModelSource[];
  /** Similar records with accepted values by slug. Their texts count against the budget of the sources. */
  examples?: readonly Example[];
  /** Frequent values of the catalog by slug. */
  known?: Readonly<Record<string, readonly string[]>>;
  /** As `data:` URLs. */
  images?: readonly string[];
  signal?: AbortSignal;
}

export interface Extraction extends Omit<ModelAnswer<unknown, unknown>, 'values'> {
  /** Whether the sources include results of a web search. */
  webSearched: boolean;
  /** One per attribute, by slug. */
  values: Record<string, ExtractedValue>;
}

/** Extract the attributes from the sources. An attribute without a valid value is null with confidence 0. */
export async function extractAttributes(model: Model, request: ExtractionRequest): Promise<Extraction> {
  const { tier, attributes, subject = 'product', product, existing = {}, images, signal } = request;
  const properties = propertyNames(attributes);
  const examples = fitExamples(properties, request.examples ?? []);
  const known = byProperty(properties, request.known ?? {});
  const learned = { ...(Object.keys(known).length > 0 && { known }), ...(examples.length > 0 && { examples }) };
  const room = SOURCE_BUDGET - (Object.keys(learned).length > 0 ? JSON.stringify(learned).length : 0);
  const material: Material = {
    ...learned,
    product,
    existing: byProperty(properties, existing),
    sources: fitSources(request.sources, room),
  };
  const schema = replySchema(
    properties,
    material.sources.map(({ id }) => id),
  );
  const conversation = messages(properties, material, { subject, images });
  const { values, ...answer } = await askForReply(model, { tier, name: 'attributes', schema, conversation, signal }, (text) =>
    readReply(text, properties, material),
  );
  return { ...answer, webSearched: request.sources.some(({ kind }) => kind === 'search'), values: bySlug(attributes, values) };
}

const missing: ExtractedValue = { value: null, confidence: 0, sourceId: null, quote: null, evidence: null, isNew: false };

/** Maximum characters of all examples in one request. */
const EXAMPLE_BUDGET = 24_000;

/** The nearest examples that fit the budget, with their values by property. */
function fitExamples(properties: ReadonlyMap<string, AttributeRequest>, examples: readonly Example[]): Example[] {
  let rest = EXAMPLE_BUDGET;
  return examples
    .map(({ text, values }) => ({ text: text.toWellFormed(), values: byProperty(properties, values) }))
    .filter((each) => {
      const size = JSON.stringify(each).length;
      const isKept = size <= rest && Object.keys(each.values).length > 0;
      if (isKept) rest -= size;
      return isKept;
    });
}

const byProperty = <V>(properties: ReadonlyMap<string, AttributeRequest>, values: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(
    [...properties].flatMap(([property, { slug }]): [string, V][] =>
      Object.hasOwn(values, slug) ? [[property, values[slug]!]] : [],
    ),
  );

const bySlug = (attributes: readonly AttributeRequest[], values: ReadonlyMap<AttributeRequest, ExtractedValue>) =>
  Object.fromEntries(attributes.map((attribute) => [attribute.slug, values.get(attribute) ?? missing]));

/** Providers reject schemas with very long enums. Longer lists of options are part of the prompt only, and the reply is validated. */
const MAX_ENUM_VALUES = 250;

/** The strict schema of a reply. Models generate keys in this order, so evidence precedes the value and confidence comes last. */
function replySchema(properties: ReadonlyMap<string, AttributeRequest>, sourceIds: readonly string[]): JsonSchema {
  const source = sourceIds.length > 0 ? { type: ['string', 'null'], enum: [...sourceIds, null] } : { type: 'null' };
  return object(
    [...properties].map(([name, attribute]) => [
      name,
      object([
        ['source', source],
        ['quote', { type: ['string', 'null'], description: 'The words of the source that say it, copied exactly.' }],
        ['value', valueSchema(attribute)],
        [
          'derived',
          { type: ['string', 'null'], enum: [...DERIVATIONS, null], description: 'Why the quote does not contain the value.' },
        ],
        ['confidence', { type: 'integer', description: '0 to 100' }],
      ]),
    ]),
  );
}

function valueSchema({ type, options }: AttributeRequest): JsonSchema {
  const closed = options.length > 0 && options.length <= MAX_ENUM_VALUES;
  switch (type) {
    case 'number':
    case 'boolean':
      return { type: [type, 'null'] };
    case 'select':
      return closed ? { type: ['string', 'null'], enum: [...options, null] } : { type: ['string', 'null'] };
    case 'multiselect':
      return { type: ['array', 'null'], items: closed ? { type: 'string', enum: options } : { type: 'string' } };
    case 'text':
    case 'html':
    case 'date':
      return { type: ['string', 'null'] };
  }
}

/** A value with its source. */
interface ExtractedValue {
  value: AttributeContent;
  /** 0 to 100. */
  confidence: number;
  /** Null for a value from the product's own fields, and for an existing value. */
  sourceId: string | null;
  /** An exact quote of the source; null when the quote of the model does not appear there. */
  quote: string | null;
  /** How the sources support the value; null without a value. */
  evidence: Evidence | null;
  /** Whether the catalog has known values for the attribute and this is not one of them. */
  isNew: boolean;
}

/** The values of a reply. A value whose form or quote is wrong has the confidence that its evidence allows, or is a fault to repair. */
export function readReply(
  text: string,
  properties: ReadonlyMap<string, AttributeRequest>,
  material: Material,
): CheckedReply<AttributeRequest, ExtractedValue> {
  const texts = new Texts([...Object.values(material.product), ...material.sources.flatMap(({ title, text }) => [title, text])]);
  return readAnswers(text, properties, (answer, attribute, { property, confidenceOf }) => {
    if (!isObject(answer) || !('value' in answer))
      return { fault: 'is missing; give an object of source, quote, value and confidence' };
    const reading = readValue(attribute, answer.value);
    if ('fault' in reading) return { fault: `its value ${reading.fault}` };
    const { value } = reading;
    if (value === null) return missing;

    const { confidence, source, quote: given, derived } = answer;
    const quote = typeof given === 'string' && given.trim() !== '' ? given.trim() : null;
    const cited = material.sources.find(({ id }) => id === source);
    const evidence = cited ? [cited.title, cited.text] : Object.values(material.product);
    const known = own(material.known ?? {}, property) ?? [];
    const isQuoted = quote !== null && contains(evidence, quote);
    const existing = own(material.existing, property);
    const claim: Claim = { attribute, value, quote, isQuoted, derived, material: texts, existing, known };
    const support = evidenceOf(claim);
    return {
      value,
      confidence: weighConfidence(confidenceOf(confidence), claim, support),
      sourceId: cited?.id ?? null,
      quote: isQuoted ? storable(quote) : null,
      evidence: support,
      isNew: known.length > 0 && !known.some((each) => each.toLowerCase() === String(value).toLowerCase()),
    };
  });
}

/** A property may be called `constructor`. */
const own = <V>(map: Readonly<Record<string, V>>, key: string): V | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);

type Evidence = EnumValue<'ValueEvidence'>;

/** The reasons a model can give for a value that its quote does not contain. */
const DERIVATIONS = ['unit', 'list', 'yes_no', 'spelling', 'translation', 'written'] as const;
type Derivation = (typeof DERIVATIONS)[number];

/** Highest confidence of a value whose quote is invented, and of a value that no source contains. */
const MAX_INVENTED_QUOTE = 50;
const MAX_UNSUPPORTED = 20;

interface Claim {
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
function weighConfidence(confidence: number, { attribute, quote, isQuoted }: Claim, evidence: Evidence): number {
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
