import type { Response, ResponseOutputText } from 'openai/resources/responses/responses';
import type { Model, ModelTier } from './client.ts';
import { ProviderRefusal } from './faults.ts';
import type { Source } from './source.ts';

const PROBE = 'What is the capital of France?';

/** Whether the provider has a web search, by model tier, as far as this process has seen. */
const known = new WeakMap<Model, Map<ModelTier, boolean>>();
const probes = new WeakMap<Model, Map<ModelTier, Promise<boolean>>>();

/** Whether the provider has a web search for this tier, as far as is known. */
export const searchesWeb = (model: Model, tier: ModelTier): boolean =>
  model.webSearch !== 'off' && known.get(model)?.get(tier) !== false;

/** What the provider's own web search finds, one source per cited page; nothing when it has no web search. */
export async function researchWeb(model: Model, tier: ModelTier, question: string, signal?: AbortSignal): Promise<Source[]> {
  if (!searchesWeb(model, tier)) return [];
  try {
    const found = citedSources(await ask(model, tier, question, signal));
    learn(model, tier, true);
    return found;
  } catch (error) {
    if (!(error instanceof ProviderRefusal) || !error.isUnsupported) throw error;
    // A refused question says nothing about the questions of others.
    if (await hasWebSearch(model, tier)) throw error;
    return [];
  }
}

const ask = (model: Model, tier: ModelTier, input: string, signal?: AbortSignal) =>
  model.respond(tier, { input, tools: [{ type: 'web_search' }] }, signal);

/** Asks a question that no provider refuses for its content, once for all who wait to know. */
function hasWebSearch(model: Model, tier: ModelTier): Promise<boolean> {
  const answer = known.get(model)?.get(tier);
  if (answer !== undefined) return Promise.resolve(answer);
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

function learn(model: Model, tier: ModelTier, answer: boolean): boolean {
  entryOf(known, model).set(tier, answer);
  return answer;
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
