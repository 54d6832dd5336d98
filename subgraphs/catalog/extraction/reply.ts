import type { Reply } from '../../../platform/model/index.ts';
import { isObject } from '../../../schema/json.ts';
import { storable } from '../../../schema/text.ts';
import type { AttributeRequest, AttributeValue } from './attribute.ts';
import { replyConfidence } from './confidence.ts';
import { readValue } from './constraints.ts';
import { type Claim, type Evidence, evidenceOf, Texts, weighConfidence } from './evidence.ts';
import type { Material } from './prompt.ts';

/** A value with its source. */
export interface ExtractedValue {
  value: AttributeValue;
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

export function readReply(
  text: string,
  properties: ReadonlyMap<string, AttributeRequest>,
  material: Material,
): Reply<AttributeRequest, ExtractedValue> {
  const reply = parseObject(text);
  if (!reply) return { values: new Map(), faults: [{ sentence: 'The reply is no JSON object' }] };

  const values = new Map<AttributeRequest, ExtractedValue>();
  const faults: Reply<AttributeRequest, ExtractedValue>['faults'] = [];
  const confidenceOf = replyConfidence(reply, properties.keys());
  const texts = new Texts([...Object.values(material.product), ...material.sources.flatMap(({ title, text }) => [title, text])]);
  for (const [property, attribute] of properties) {
    const answer = readAnswer(property, attribute, reply[property], { material, texts, confidenceOf });
    if ('fault' in answer) faults.push({ sentence: `${property}: ${answer.fault}`, about: attribute });
    else values.set(attribute, answer);
  }
  return { values, faults };
}

function readAnswer(
  property: string,
  attribute: AttributeRequest,
  answer: unknown,
  { material, texts, confidenceOf }: { material: Material; texts: Texts; confidenceOf: (confidence: unknown) => number },
): ExtractedValue | { fault: string } {
  if (!isObject(answer) || !('value' in answer))
    return { fault: 'is missing; give an object of source, quote, value and confidence' };
  const reading = readValue(attribute, answer.value);
  if ('fault' in reading) return { fault: `its value ${reading.fault}` };
  const { value } = reading;
  if (value === null) return { value, confidence: 0, sourceId: null, quote: null, evidence: null, isNew: false };

  const { confidence, source, quote: given, derived } = answer;
  const quote = typeof given === 'string' && given.trim() !== '' ? given.trim() : null;
  const cited = material.sources.find(({ id }) => id === source);
  const evidence = cited ? [cited.title, cited.text] : Object.values(material.product);
  const known = own(material.known ?? {}, property) ?? [];
  const claim: Claim = {
    attribute,
    value,
    quote,
    isQuoted: quote !== null && contains(evidence, quote),
    derived,
    material: texts,
    existing: own(material.existing, property),
    known,
  };
  const support = evidenceOf(claim);
  return {
    value,
    confidence: weighConfidence(confidenceOf(confidence), claim, support),
    sourceId: cited?.id ?? null,
    quote: claim.isQuoted && quote !== null ? storable(quote) : null,
    evidence: support,
    isNew: known.length > 0 && !known.some((each) => each.toLowerCase() === String(value).toLowerCase()),
  };
}

/** A property may be called `constructor`. */
const own = <V>(map: Readonly<Record<string, V>>, key: string): V | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);

/** Whether a text contains the quote, ignoring white space and case. */
export function contains(evidence: readonly unknown[], quote: string): boolean {
  const sought = normalize(quote);
  return evidence.some((each) => typeof each === 'string' && normalize(each).includes(sought));
}
const normalize = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** Models without structured outputs often wrap JSON in a code block. */
function withoutFence(text: string): string {
  const fence = ['```json', '```'].find((each) => text.startsWith(each)) ?? '';
  const body = text.slice(fence.length);
  return (body.endsWith('```') ? body.slice(0, -3) : body).trim();
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(withoutFence(text.trim()));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
