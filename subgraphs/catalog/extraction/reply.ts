import type { Reply } from '../../../platform/model/index.ts';
import { isObject } from '../../../schema/json.ts';

export type JsonSchema = Record<string, unknown>;

/** A strict object schema, which has no optional properties: all are required and may be null. */
export const object = (properties: [string, JsonSchema][]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(properties),
  required: properties.map(([name]) => name),
  additionalProperties: false,
});

interface AnswerContext {
  property: string;
  /** Reads the confidence of an answer of this reply, from 0 to 100. */
  confidenceOf(confidence: unknown): number;
}

/** Reads a reply with one answer per property. The model is asked to repair a reply that is no JSON object, and answers with a fault. */
export function readAnswers<K, V>(
  text: string,
  properties: Iterable<readonly [property: string, about: K]>,
  read: (answer: unknown, about: K, context: AnswerContext) => V | { fault: string },
): Reply<K, V> {
  const reply = parseObject(text);
  const values = new Map<K, V>();
  if (!reply) return { values, faults: [{ sentence: 'The reply is no JSON object' }] };
  const faults: Reply<K, V>['faults'] = [];
  const entries = [...properties];
  const answers = entries.map(([property]) => reply[property]).filter(isObject);
  const confidenceOf = confidenceReader(answers.map(({ confidence }) => confidence));
  for (const [property, about] of entries) {
    const value = read(reply[property], about, { property, confidenceOf });
    if (isFault(value)) faults.push({ sentence: `${property}: ${value.fault}`, about });
    else values.set(about, value);
  }
  return { values, faults };
}

const isFault = (value: unknown): value is { fault: string } => isObject(value) && 'fault' in value;

/** Models without structured outputs often wrap JSON in a code block. */
function withoutFence(text: string): string {
  const fence = ['```json', '```'].find((each) => text.startsWith(each)) ?? '';
  const body = text.slice(fence.length);
  return (body.endsWith('```') ? body.slice(0, -3) : body).trim();
}

/** The JSON object of a reply, or undefined. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(withoutFence(text.trim()));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text contains the quote, ignoring white space and case. */
export function contains(evidence: readonly unknown[], quote: string): boolean {
  const sought = normalize(quote);
  return evidence.some((each) => typeof each === 'string' && normalize(each).includes(sought));
}
const normalize = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** Default for an unreadable confidence: the value is as likely right as wrong. */
const UNSURE = 50;

/** Create a reader for the confidences of one reply. */
export function confidenceReader(confidences: readonly unknown[]): (confidence: unknown) => number {
  const numbers = confidences.map(numberOf).filter((each) => each !== undefined);
  // With fractions, 1 means 100 percent; otherwise it means 1 percent.
  const isScaleOfOne = numbers.some(isFraction) && numbers.every((each) => each <= 1);
  return (confidence) => {
    const number = numberOf(confidence) ?? UNSURE;
    const scaled = isFraction(number) || (isScaleOfOne && number === 1) ? number * 100 : number;
    return Math.round(Math.min(100, Math.max(0, scaled)));
  };
}

const isFraction = (number: number) => number > 0 && number < 1;

const withoutPercent = (text: string) => (text.endsWith('%') ? text.slice(0, -1).trimEnd() : text);

function numberOf(confidence: unknown): number | undefined {
  const text = typeof confidence === 'string' ? withoutPercent(confidence.trim()) : confidence;
  const number = typeof text === 'string' && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
