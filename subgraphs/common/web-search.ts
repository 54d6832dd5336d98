import { log } from './log.ts';
import type { Model, ModelTier } from './model/client.ts';
import { ProviderFault, ProviderRefusal } from './model/faults.ts';
import { researchWeb, searchesWeb } from './model/search.ts';
import type { Source } from './model/source.ts';
import { createOutbound } from './outbound/client.ts';
import { OutboundRefused } from './outbound/refusal.ts';

export interface Hit {
  url: string;
  title: string;
  /** What the search says of the page: its own words, perhaps cut. */
  text: string;
}

/** A search engine of the operator. Failures are a `ProviderFault` or a `ProviderRefusal`, as of the model provider. */
export interface SearchEndpoint {
  search(terms: string, signal?: AbortSignal): Promise<Hit[]>;
  close(): Promise<void>;
}

/** A search endpoint that answers `GET <url>?q=…&format=json` as SearXNG does. Only it may reach its host if that is private. */
export function searchEndpoint(address: string): SearchEndpoint {
  const { host } = new URL(address);
  const outbound = createOutbound({ allowHosts: [host] });
  return {
    async search(terms, signal) {
      const url = new URL(address);
      url.searchParams.set('q', terms);
      url.searchParams.set('format', 'json');
      const { status, body } = await outbound.request(url.href, { accept: 'application/json', signal }).catch((error: unknown) => {
        if (!(error instanceof OutboundRefused)) throw error;
        log.warn({ err: error, host }, 'the search endpoint cannot be reached');
        throw new ProviderFault('the web search cannot be reached');
      });
      if (status !== 200) log.warn({ host, status }, 'the search endpoint did not answer a search; it must offer the format json');
      if (status === 429 || status >= 500) throw new ProviderFault(`the web search answered with status ${status}`);
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
    throw new ProviderFault('the answer of the web search cannot be read', undefined, { cause: error });
  }
  if (!Array.isArray(results)) throw new ProviderFault('the web search sent an answer without results');
  return results.flatMap(({ url, title, content }) =>
    typeof url === 'string' && /^https?:\/\//i.test(url) ? [{ url, title: String(title ?? ''), text: String(content ?? '') }] : [],
  );
}

/** What can search the web for a job. */
export interface Searching {
  model: Model;
  searchEndpoint?: SearchEndpoint;
  signal?: AbortSignal;
}

export interface WebQuestion {
  /** Put to the provider, whose model searches. */
  question: string;
  /** Put to the search endpoint. */
  terms: string;
}

/** Pages that the provider's search or else the search endpoint finds; undefined when there is neither. */
export async function searchWeb(
  { model, searchEndpoint: endpoint, signal }: Searching,
  tier: ModelTier,
  { question, terms }: WebQuestion,
): Promise<Omit<Source, 'id'>[] | undefined> {
  const cited = await researchWeb(model, tier, question, signal);
  if (searchesWeb(model, tier)) return cited;
  const hits = await endpoint?.search(terms, signal);
  return hits?.map((hit) => ({ kind: 'search', ...hit }));
}
