import { isObject } from '../../../schema/json.ts';

/** Default for an unreadable confidence: the value is as likely right as wrong. */
const UNSURE = 50;

/** Create a reader for the confidences of a reply with these properties, from 0 to 100. It scales fractions, such as 0.85. */
export function replyConfidence(reply: Record<string, unknown>, properties: Iterable<string>): (confidence: unknown) => number {
  const answers = [...properties].map((property) => reply[property]).filter(isObject);
  return confidenceReader(answers.map(({ confidence }) => confidence));
}

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
