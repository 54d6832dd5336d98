import type { Response, ResponseOutputText } from 'openai/resources/responses/responses';
import type { Model, ModelTier } from './client.ts';
import { ProviderRefusal } from './faults.ts';
import type { Source } from './source.ts';

/** Models whose provider turned out to have no web search; asked once per process. */
const without = new WeakSet<Model>();

/** Whether the provider has a web search, as far as is known. */
export const searchesWeb = (model: Model): boolean => model.webSearch !== 'off' && !without.has(model);

/** What the provider's own web search finds, one source per cited page; nothing when it has no web search. */
export async function researchWeb(model: Model, tier: ModelTier, question: string, signal?: AbortSignal): Promise<Source[]> {
  if (!searchesWeb(model)) return [];
  try {
    return citedSources(await model.respond(tier, { input: question, tools: [{ type: 'web_search' }] }, signal));
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || !error.isUnsupported) throw error;
    without.add(model);
    return [];
  }
}

function citedSources({ output }: Response): Source[] {
  const texts = (output ?? [])
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .filter((part): part is ResponseOutputText => part.type === 'output_text');

  const pages = new Map<string, { title: string; lines: Set<string> }>();
  for (const { text, annotations } of texts) {
    for (const citation of annotations ?? []) {
      if (citation.type !== 'url_citation') continue;
      const page = pages.get(citation.url) ?? { title: citation.title, lines: new Set() };
      page.lines.add(lineAround(text, citation.start_index, citation.end_index));
      pages.set(citation.url, page);
    }
  }
  // Beside the numbered sources of a request (`s1`), so that the two cannot meet.
  return [...pages].map(([url, { title, lines }], index) => ({
    id: `w${index + 1}`,
    kind: 'search',
    url,
    title,
    text: [...lines].join('\n'),
  }));
}

/** A citation marks the link only; what it vouches for is the line it stands in. */
function lineAround(text: string, start: number, end: number): string {
  const from = text.lastIndexOf('\n', Math.max(start - 1, 0)) + 1;
  const to = text.indexOf('\n', end);
  return text.slice(from, to === -1 ? undefined : to).trim();
}
