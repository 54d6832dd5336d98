import type { Response, ResponseOutputText } from 'openai/resources/responses/responses';
import type { Model, ModelTier } from './client.ts';
import { ProviderRefusal } from './faults.ts';
import type { Source } from './source.ts';

const PROBE = 'What is the capital of France?';

/** Whether the provider supports web search, by model tier. Learned from its responses. */
const support = new WeakMap<Model, Map<ModelTier, boolean>>();
const probes = new WeakMap<Model, Map<ModelTier, Promise<boolean>>>();

/** Whether the provider supports web search for this tier. True until the provider rejects it. */
export const searchesWeb = (model: Model, tier: ModelTier): boolean =>
  model.webSearch !== 'off' && support.get(model)?.get(tier) !== false;

/** Search with the provider's web search. Returns one source per cited page, and none without web search. */
export async function researchWeb(model: Model, tier: ModelTier, question: string, signal?: AbortSignal): Promise<Source[]> {
  if (!searchesWeb(model, tier)) return [];
  try {
    const sources = citedSources(await ask(model, tier, question, signal));
    learn(model, tier, true);
    return sources;
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || !error.isUnsupported) throw error;
    // The provider may reject only this question, so probe with a neutral one.
    if (await hasWebSearch(model, tier)) throw error;
    return [];
  }
}

const ask = (model: Model, tier: ModelTier, input: string, signal?: AbortSignal) =>
  model.respond(tier, { input, tools: [{ type: 'web_search' }] }, signal);

/** Probe with a neutral question. Concurrent callers share one probe. */
function hasWebSearch(model: Model, tier: ModelTier): Promise<boolean> {
  const known = support.get(model)?.get(tier);
  if (known !== undefined) return Promise.resolve(known);
  const ofModel = entryOf(probes, model);
  const running = ofModel.get(tier);
  if (running) return running;
  const probe = ask(model, tier, PROBE)
    .then(
      () => learn(model, tier, true),
      (error: unknown) => {
        if (error instanceof ProviderRefusal && error.isUnsupported) return learn(model, tier, false);
        throw error;
      },
    )
    .finally(() => ofModel.delete(tier));
  ofModel.set(tier, probe);
  return probe;
}

function learn(model: Model, tier: ModelTier, isSupported: boolean): boolean {
  entryOf(support, model).set(tier, isSupported);
  return isSupported;
}

function entryOf<V>(all: WeakMap<Model, Map<ModelTier, V>>, model: Model): Map<ModelTier, V> {
  const entry = all.get(model) ?? new Map<ModelTier, V>();
  all.set(model, entry);
  return entry;
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
  // Prefix `w`, to avoid collisions with the other sources of a request (`s1`).
  return [...pages].map(([url, { title, lines }], index) => ({
    id: `w${index + 1}`,
    kind: 'search',
    url,
    title,
    text: [...lines].join('\n'),
  }));
}

/** The line that contains a citation, because a citation marks only the link. */
function lineAround(text: string, start: number, end: number): string {
  const from = text.lastIndexOf('\n', Math.max(start - 1, 0)) + 1;
  const to = text.indexOf('\n', end);
  return text.slice(from, to === -1 ? undefined : to).trim();
}
