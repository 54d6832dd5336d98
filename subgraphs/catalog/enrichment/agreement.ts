import { truncate } from '../../../schema/text.ts';
import type { Job } from '../jobs/entity.ts';
import type { WorkScope } from '../jobs/kind.ts';
import { type ExtractionRequest, readValues, requireValues } from './extract.ts';
import type { ExtractedValue, Extraction } from './extraction.ts';

/** Maximum characters of a text that is shown beside the stored value. */
const MAX_SHOWN = 500;

/**
 * Read the sources twice, in both orders, and compare the values. Models prefer what they read first, so a value that depends on the order
 * is doubtful: its confidence is halved. Throws `ItemFailure` if neither reading finds a value. A failed reading ends the other one.
 */
export async function readTwice(scope: WorkScope, job: Job, request: ExtractionRequest): Promise<Extraction> {
  const orders = [request.sources, request.sources.toReversed()];
  const failed = new AbortController();
  const within = { ...scope, signal: AbortSignal.any([scope.signal, failed.signal]) };
  const readings = orders.map((sources) => readValues(within, job, { ...request, sources }));
  const [first, second] = await Promise.all(readings).catch(async (error: unknown) => {
    failed.abort(error);
    // The item has no requests left when its next attempt begins.
    await Promise.allSettled(readings);
    throw error;
  });
  const values = first!.values.map((value, place) => compare(value, second!.values[place]!));
  return requireValues({ ...first!, values });
}

function compare(first: ExtractedValue, second: ExtractedValue): ExtractedValue {
  // Composed texts are worded anew each time.
  if (first.attribute.type === 'html' || first.attribute.constraints.format) return first.value === null ? second : first;
  const [chosen, other] = second.origin.confidence > first.origin.confidence ? [second, first] : [first, second];
  if (isSame(first.value, second.value)) return { ...chosen, origin: { ...chosen.origin, agreed: true } };
  const confidence = Math.round(chosen.origin.confidence / 2);
  return { ...chosen, origin: { ...chosen.origin, confidence, agreed: false, alternative: shown(other.value) } };
}

type Value = ExtractedValue['value'];

/** Case, spaces and the order of lists do not matter. */
const isSame = (a: Value, b: Value): boolean => canonical(a) === canonical(b);
const canonical = (value: Value): string =>
  JSON.stringify(Array.isArray(value) ? value.map(folded).sort() : typeof value === 'string' ? folded(value) : value);
const folded = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ').trim();

const shown = (value: Value): Value => (typeof value === 'string' ? truncate(value, MAX_SHOWN) : value);
