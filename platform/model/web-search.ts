import type { Response, ResponseOutputText } from 'openai/resources/responses/responses';
import { isStorable, storable, truncate } from '../../schema/text.ts';
import { createOutbound, OutboundRefused } from '../outbound/index.ts';
import { log } from '../telemetry/index.ts';
import { ProviderFault, ProviderRefusal, retryAfter } from './faults.ts';
import type { Model, ModelTier } from './model-client.ts';
import type { ModelSource } from './structured.ts';

const PROBE = 'What is the capital of France?';

/** Whether the provider supports web search, by model tier. Learned from its responses. */
const support = new WeakMap<Model, Map<ModelTier, boolean>>();
const probes = new WeakMap<Model, Map<ModelTier, Promise<boolean>>>();

/** Whether the provider supports web search for this tier. True until the provider rejects it. */
const searchesWeb = (model: Model, tier: ModelTier): boolean =>
  model.webSearch !== 'off' && support.get(model)?.get(tier) !== false;

/** Search with the provider's web search. Returns one source per cited page, and none without web search. */
export async function researchWeb(model: Model, tier: ModelTier, question: string, signal?: AbortSignal): Promise<ModelSource[]> {
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

function citedSources({ output }: Response): ModelSource[] {
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

interface Hit {
  url: string;
  title: string;
  /** Snippet of the page, possibly truncated. */
  text: string;
}

/** A search engine that the operator runs. Throws `ProviderFault` or `ProviderRefusal`, like the model provider. */
export interface SearchEndpoint {
  search(terms: string, signal?: AbortSignal): Promise<Hit[]>;
  close(): Promise<void>;
}

/** A SearXNG-compatible endpoint: `GET <url>?q=…&format=json`. Its host may be private, but only for this client. */
export function searchEndpoint(address: string): SearchEndpoint {
  const { host } = new URL(address);
  const outbound = createOutbound({ allowHosts: [host] });
  return {
    async search(terms, signal) {
      const url = new URL(address);
      url.searchParams.set('q', terms);
      url.searchParams.set('format', 'json');
      const { status, headers, body } = await outbound
        .request(url.href, { accept: 'application/json', signal })
        .catch((error: unknown) => {
          if (!(error instanceof OutboundRefused)) throw error;
          log.warn({ err: error, host }, 'Search endpoint unreachable');
          throw new ProviderFault('the web search cannot be reached');
        });
      if (status !== 200) log.warn({ host, status }, 'Search failed; the search endpoint must support the format json');
      if (status === 429 || status >= 500)
        throw new ProviderFault(`the web search answered with status ${status}`, {
          retryAfterMs: retryAfter({ get: (name) => headers[name] ?? null }),
          isThrottled: status === 429,
        });
      if (status !== 200) throw new ProviderRefusal('Web search is not available.');
      return readHits(body.toString('utf8'));
    },
    close: () => outbound.close(),
  };
}

function readHits(text: string): Hit[] {
  let results: unknown;
  try {
    ({ results } = JSON.parse(text));
  } catch (error) {
    throw new ProviderFault('the answer of the web search cannot be read', { cause: error });
  }
  if (!Array.isArray(results)) throw new ProviderFault('the web search sent an answer without results');
  return results.flatMap(({ url, title, content }) =>
    typeof url === 'string' && /^https?:\/\//i.test(url) ? [{ url, title: String(title ?? ''), text: String(content ?? '') }] : [],
  );
}

/** The web search services of a job. */
interface SearchServices {
  model: Model;
  searchEndpoint?: SearchEndpoint;
  signal?: AbortSignal;
}

export interface WebQuestion {
  /** Prompt for the provider, whose model searches. */
  question: string;
  /** Query for the search endpoint. */
  terms: string;
}

/** Characters of a title, as those of pages. */
const MAX_TITLE = 500;

/** Search with the provider, or else with the search endpoint. Returns undefined when neither exists. */
export async function searchWeb(
  { model, searchEndpoint: endpoint, signal }: SearchServices,
  tier: ModelTier,
  { question, terms }: WebQuestion,
): Promise<Omit<ModelSource, 'id'>[] | undefined> {
  const cited = await researchWeb(model, tier, question, signal);
  const found = searchesWeb(model, tier) ? cited : await endpoint?.search(terms, signal);
  // Search engines cut texts within a character. PostgreSQL could not store such a source.
  return found
    ?.filter(({ url }) => url === null || isStorable(url))
    .map(({ url, title, text }) => ({ kind: 'search', url, title: truncate(title ?? '', MAX_TITLE), text: storable(text) }));
}
