import { truncate } from '../../../schema/text.ts';

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
export function fitSources(sources: readonly Source[], budget = SOURCE_BUDGET): Source[] {
  let rest = budget;
  let remaining = sources.length;
  const lengths = new Map<Source, number>();
  for (const source of [...sources].sort((a, b) => a.text.length - b.text.length)) {
    const share = Math.min(source.text.length, Math.floor(rest / remaining));
    lengths.set(source, share);
    rest -= share;
    remaining -= 1;
  }
  return sources.map((source) => ({ ...source, text: truncate(source.text, lengths.get(source)!) }));
}
