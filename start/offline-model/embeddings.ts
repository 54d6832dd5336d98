import { isObject } from '../../schema/json.ts';
import { invalid, OFFLINE_MODEL } from './protocol.ts';
import { featuresOf, hashOf } from './reading/features.ts';

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
