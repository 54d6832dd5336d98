import type { SourceResult } from 'compiled-gateway';
import type { AnswerInParts } from './federation.ts';

type Errors = SourceResult['errors'];
type Path = readonly (string | number)[];
type Merged = Pick<AnswerInParts, 'data' | 'errors' | 'failed'>;

/**
 * The places at which an answer contradicts the complete one. A null in either of them needs an error at its place or below it, which came with
 * it; so does a key that one of them lacks, unless its fragment failed. A field of an object can also be null by an error at the object itself: a subgraph
 * that knows it only as an `@interfaceObject` returned null for it, because a field of another type failed.
 * @param isComplete whether all keys must have come
 */
export function contradictions(part: Merged, whole: Merged, isComplete: boolean): string[] {
  const found: string[] = [];
  const hasError = (errors: Errors, path: Path) =>
    (errors ?? []).some(({ path: at = [] }) => path.every((step, depth) => step === at[depth]));

  const mayLackKeys = ({ errors, failed }: Merged, path: Path) =>
    hasError(errors, path) || failed.some((place) => place.every((step, depth) => step === path[depth]));

  function compare(one: unknown, other: unknown, path: Path): void {
    const report = (fault: string) => found.push(`${path.join('.')} ${fault}`);
    if (one === other) return;
    if (one === null) {
      const isOfObject = part.errors?.some(
        ({ path: at }) => at?.length === path.length - 1 && at.every((step, depth) => step === path[depth]),
      );
      if (!isOfObject && !hasError(part.errors, path)) report('is null without an error');
    } else if (other === null) {
      if (!hasError(whole.errors, path)) report('is not null');
    } else if (typeof one !== 'object' || typeof other !== 'object') {
      report(`is ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`);
    } else {
      const [ours, theirs] = [one, other] as Record<string, unknown>[] as [Record<string, unknown>, Record<string, unknown>];
      if (Array.isArray(ours) && ours.length !== (theirs as { length?: unknown }).length) report('has another length');
      for (const [key, value] of Object.entries(ours)) {
        if (Object.hasOwn(theirs, key)) compare(value, theirs[key], [...path, Array.isArray(ours) ? Number(key) : key]);
        else if (!mayLackKeys(whole, path)) report(`has ${key}`);
      }
      const missing = Object.keys(theirs).filter((key) => !Object.hasOwn(ours, key));
      if (isComplete && missing.length > 0 && !mayLackKeys(part, path)) report(`lacks ${missing}`);
    }
  }
  compare(part.data ?? null, whole.data ?? null, []);
  return found;
}
