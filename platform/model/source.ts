import { fitTexts } from '../../schema/text.ts';

/** A text from which the model may take values. */
export interface Source {
  /** Unique among the sources of one request: `s1`, `s2`, … */
  id: string;
  kind: 'text' | 'page' | 'search' | 'file' | 'variants' | 'product';
  url: string | null;
  title?: string;
  text: string;
}

/** Maximum characters of all sources in one request: about 30,000 tokens. */
export const SOURCE_BUDGET = 120_000;

/** Truncate long sources to fit the budget. Short sources stay complete; long ones share the rest evenly. */
export function fitSources<T extends Pick<Source, 'text'>>(sources: readonly T[], budget = SOURCE_BUDGET): T[] {
  const texts = fitTexts(
    sources.map(({ text }) => text),
    budget,
  );
  return sources.map((source, at) => ({ ...source, text: texts[at]! }));
}
