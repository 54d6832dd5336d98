import {
  type Outbound,
  OutboundRefused,
  type OutboundRequest,
  type OutboundResponse,
} from '../../../../platform/outbound/index.ts';
import { Deadline } from '../../../../platform/queues/index.ts';

/** Milliseconds of one request with its redirects; shorter than the lease of a host. */
const TIMEOUT = 20_000;
const MAX_REDIRECTS = 4;
const FORBIDDEN = 'The address redirects to a page that robots.txt of the site forbids to read.';

/** Names the crawler in `robots.txt`. */
export const USER_AGENT = 'catalog-graph';

export interface CrawlRequest extends OutboundRequest {
  /** Whether the rules of the site allow a redirect to this address. Default: all. */
  mayFollow?: (url: string) => Promise<boolean>;
}

/** Fetches a page. Follows redirects within its host; each address passes the outbound guard again. */
export async function fetchPage(
  outbound: Outbound,
  address: string,
  { signal, mayFollow, ...request }: CrawlRequest = {},
): Promise<OutboundResponse> {
  const deadline = new Deadline(TIMEOUT, signal);
  let url = address;
  try {
    for (let hops = 0; ; hops += 1) {
      try {
        return await outbound.request(url, { ...request, signal: deadline.signal });
      } catch (error) {
        signal?.throwIfAborted();
        if (deadline.hasPassed) throw new OutboundRefused('timeout', 'The address took too long to answer.');
        const next = hops < MAX_REDIRECTS ? redirectOf(error, url) : undefined;
        if (!next) throw error;
        if (mayFollow && !(await mayFollow(next))) throw new OutboundRefused('redirect', FORBIDDEN);
        url = next;
      }
    }
  } finally {
    deadline.end();
  }
}

function redirectOf(error: unknown, url: string): string | undefined {
  if (!(error instanceof OutboundRefused) || error.kind !== 'redirect' || !error.location) return undefined;
  const target = URL.parse(error.location, url);
  return target && isSameHost(target, new URL(url)) && target.href.length <= MAX_URL ? target.href : undefined;
}

/** Longer addresses are not read, because checks of robots.txt would take too long. */
export const MAX_URL = 2_048;

/** Whether a URL can be crawled with a site. `http` may redirect to `https`, with its own default port. */
export const isSameHost = (url: URL, site: URL): boolean => /^https?:$/.test(url.protocol) && url.host === site.host;
