/** Stands for a confidence that cannot be read: the value is as likely right as wrong. */
const UNSURE = 50;

/** Reads the confidences of one reply as 0 to 100. Replies that use fractions, such as 0.85, are scaled. */
export function confidenceReader(given: readonly unknown[]): (confidence: unknown) => number {
  const numbers = given.map(numberOf).filter((each) => each !== undefined);
  // In such a reply 1 means certain; elsewhere it means one percent.
  const ofOne = numbers.some(isFraction) && numbers.every((each) => each <= 1);
  return (confidence) => {
    const number = numberOf(confidence) ?? UNSURE;
    const scaled = isFraction(number) || (ofOne && number === 1) ? number * 100 : number;
    return Math.round(Math.min(100, Math.max(0, scaled)));
  };
}

const isFraction = (number: number) => number > 0 && number < 1;

function numberOf(confidence: unknown): number | undefined {
  const text = typeof confidence === 'string' ? confidence.trim().replace(/\s*%$/, '') : confidence;
  const number = typeof text === 'string' && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
