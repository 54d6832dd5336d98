/** A piece of text that values may be taken from. */
export interface Source {
  /** Unique among the sources of one request: `s1`, `s2`, … */
  id: string;
  kind: 'text' | 'page' | 'search' | 'file' | 'variants' | 'product';
  url: string | null;
  title?: string;
  text: string;
}

/** Characters of all sources together that are sent to a model: about 30,000 tokens. */
const SOURCE_BUDGET = 120_000;

/** Cut long sources so that all fit the budget. Short ones stay whole; the long ones share what is left evenly. */
export function fitSources(sources: readonly Source[], budget = SOURCE_BUDGET): Source[] {
  let left = budget;
  let waiting = sources.length;
  const room = new Map<Source, number>();
  for (const source of [...sources].sort((a, b) => a.text.length - b.text.length)) {
    const share = Math.min(source.text.length, Math.floor(left / waiting));
    room.set(source, share);
    left -= share;
    waiting -= 1;
  }
  // A cut may split a character in two; half of one is no text.
  return sources.map((source) => ({ ...source, text: source.text.slice(0, room.get(source)).toWellFormed() }));
}
