import { isStorable, storable, truncate } from '../../schema/text.ts';
import { createOutbound, OutboundRefused } from '../outbound/index.ts';
import { log } from '../telemetry/index.ts';
import type { Model, ModelTier } from './client.ts';
import { ProviderFault, ProviderRefusal, retryAfter } from './faults.ts';
import { researchWeb, searchesWeb } from './search.ts';
import type { Source } from './source.ts';

export interface Hit {
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
export interface SearchServices {
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
): Promise<Omit<Source, 'id'>[] | undefined> {
  const cited = await researchWeb(model, tier, question, signal);
  const found = searchesWeb(model, tier) ? cited : await endpoint?.search(terms, signal);
  // Search engines cut texts within a character. PostgreSQL could not store such a source.
  return found
    ?.filter(({ url }) => url === null || isStorable(url))
    .map(({ url, title, text }) => ({ kind: 'search', url, title: truncate(title ?? '', MAX_TITLE), text: storable(text) }));
}
