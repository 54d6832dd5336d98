import { isObject } from '../../schema/json.ts';
import { invalid, OFFLINE_MODEL } from './openai-protocol.ts';
import { COMMON, tokensOf } from './reading/synonyms.ts';

const DIMENSIONS = 512;

/** Handle `/embeddings`. Texts that share words, or words with similar spelling, get similar vectors. */
export function embed(body: unknown) {
  if (!isObject(body)) throw invalid('The body must be a JSON object.', null);
  const { input, encoding_format: encoding = 'float', dimensions = DIMENSIONS } = body;
  const texts = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(texts) || texts.length === 0 || !texts.every((each) => typeof each === 'string' && each)) {
    throw invalid("'input' must be a text or a list of texts, none of them empty.", 'input');
  }
  if (encoding !== 'float' && encoding !== 'base64') throw invalid("'encoding_format' must be float or base64.", 'encoding_format');
  if (!Number.isInteger(dimensions) || Number(dimensions) < 1 || Number(dimensions) > 4096) {
    throw invalid("'dimensions' must be a whole number from 1 to 4096.", 'dimensions');
  }
  const data = texts.map((text: string, index) => {
    const vector = vectorOf(text, Number(dimensions));
    return {
      object: 'embedding',
      index,
      embedding: encoding === 'float' ? [...vector] : Buffer.from(vector.buffer).toString('base64'),
    };
  });
  const tokens = Math.ceil(texts.join('').length / 4);
  return { object: 'list', data, model: OFFLINE_MODEL, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** Unit vector of words and character n-grams; each is hashed to an index and a sign. Deterministic. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const [feature, weight] of featuresOf(text)) {
    const hash = hashOf(feature);
    // The upper bits choose the index, because the lowest bit chooses the sign.
    const at = (hash >>> 1) % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? weight : -weight);
  }
  // Words may cancel each other out, and a zero vector has no direction.
  if (vector.every((each) => each === 0)) vector[0] = 1;
  const length = Math.hypot(...vector);
  return vector.map((each) => each / length);
}

const COMMON_WEIGHT = 0.1;
/** Share of a word that its character n-grams carry, so that a typo or an inflection changes the vector only a little. */
const GRAM_SHARE = 0.6;

/** The words and character n-grams of a text, each with its weight. */
function* featuresOf(text: string): Generator<[feature: string, weight: number]> {
  for (const word of tokensOf(text)) {
    const weight = COMMON.has(word) ? COMMON_WEIGHT : 1;
    yield [word, weight * (1 - GRAM_SHARE)];
    const grams = gramsOf(` ${word.slice(0, 40)} `);
    for (const gram of grams) yield [`#${gram}`, (weight * GRAM_SHARE) / Math.sqrt(grams.length)];
  }
}

function gramsOf(padded: string): string[] {
  const letters = [...padded];
  return letters.slice(0, -2).map((_, at) => letters.slice(at, at + 3).join(''));
}

/** A fast 32-bit hash (FNV-1a with a final mix), the same in every process. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
