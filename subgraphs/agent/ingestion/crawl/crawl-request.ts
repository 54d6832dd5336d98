import {
  type Outbound,
  OutboundRefused,
  type OutboundRequest,
  type OutboundResponse,
} from '../../../../platform/outbound/index.ts';
import { Deadline } from '../../../../platform/queues/index.ts';
import { reader } from '../../../../platform/reading/index.ts';
import { ContentFault } from '../../../../platform/reading/task.ts';
import { truncate } from '../../../../schema/text.ts';
import { IngestionFailure } from '../source-state.ts';
import type { tasks } from './crawl-tasks.ts';

/** Milliseconds of one request with its redirects; shorter than the lease of a host. */
const TIMEOUT = 20_000;
const MAX_REDIRECTS = 4;
const FORBIDDEN = 'The address redirects to a page that robots.txt of the site forbids to read.';

/** Names the crawler in `robots.txt`. */
const USER_AGENT = 'catalog-graph';

interface CrawlRequest extends OutboundRequest {
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

export interface Rules {
  /** The first addresses that the rules allow, up to the limit. Throws `IngestionFailure` if the checks take too long. */
  allowed(urls: readonly string[], limit: number): Promise<string[]>;
  /** Milliseconds of processor time that all checks of the site took. */
  checkMs(): number;
  /** Sitemaps of the same host. */
  sitemaps: string[];
  /** Milliseconds between two requests that the site asks for. */
  delayMs: number;
}

/** Larger files are read up to this size, as RFC 9309 permits. */
const MAX_CHARACTERS = 500_000;
const MAX_DELAY = 10_000;
/** A site with more rules is not read. */
const MAX_RULES = 5_000;
/** Longer rules, and rules with more wildcards, are ignored. */
const MAX_RULE = 512;
const MAX_WILDCARDS = 8;
/** Milliseconds of processor time for all checks of a site. */
const MAX_TIME = 10_000;
/** Addresses of one task. */
const BATCH = 100;
/** Milliseconds that a task waits for its turn. */
const MAX_WAIT = 15_000;

const addressOf = (site: URL) => new URL('/robots.txt', site).href;

/**
 * Reads the rules of a site as text. A site without the file allows everything. Throws `IngestionFailure` if the file cannot be read,
 * because its rules are then unknown.
 */
export async function readRobots(site: URL, get: Get): Promise<string> {
  return checkable(truncate(await readFile(addressOf(site), get), MAX_CHARACTERS));
}

/**
 * The rules of a text of `readRobots`.
 * @param checkedMs processor time that earlier checks of the site took
 */
export async function rulesOf(owner: string, site: URL, text: string, checkedMs = 0): Promise<Rules> {
  const file = { address: addressOf(site), text, agent: USER_AGENT };
  let spent = checkedMs;
  const { sitemaps, delay } = await readSite(owner, 'readWishes', file, { waitMs: MAX_WAIT }).catch(refuse);
  return {
    checkMs: () => Math.ceil(spent),
    async allowed(urls, limit) {
      const found: string[] = [];
      for (let at = 0; at < urls.length && found.length < limit; at += BATCH) {
        if (spent > MAX_TIME) throw tooComplex();
        const batch = { urls: urls.slice(at, at + BATCH), limit: limit - found.length };
        const checked = await readSite(owner, 'allowed', { ...file, ...batch }, { waitMs: MAX_WAIT }).catch(refuse);
        spent += checked.ms;
        found.push(...checked.urls);
      }
      return found;
    },
    sitemaps: sitemaps.filter((each) => {
      const url = URL.parse(each);
      return url !== null && isSameHost(url, site);
    }),
    delayMs: Math.min(delay * 1_000, MAX_DELAY) || 0,
  };
}

/** A step that waited too long runs again. */
function refuse(error: unknown): never {
  throw error instanceof ContentFault && error.reason !== 'busy' ? tooComplex() : error;
}

/** The file without rules that take too long to check. */
function checkable(text: string): string {
  const isRule = (line: string) => /^[ \t]{0,9}(?:dis)?allow[ \t]{0,9}:/i.test(line);
  const isComplex = (line: string) => line.length > MAX_RULE || line.split('*').length > MAX_WILDCARDS + 1;
  const lines = text.split(/\r?\n|\r/);
  if (lines.filter(isRule).length > MAX_RULES) throw tooComplex();
  return lines.filter((line) => !isRule(line) || !isComplex(line)).join('\n');
}

const tooComplex = () => new IngestionFailure('The file robots.txt of the site has too many rules to check.');

async function readFile(address: string, get: Get): Promise<string> {
  try {
    const { status, body } = await get(address, { maxBytes: 2_000_000 });
    if (status < 400) return body.toString('utf8');
    if (status < 500 && status !== 429) return '';
    throw new IngestionFailure(`The file robots.txt of the site cannot be read: status ${status}.`);
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    // The rules of another host do not apply here.
    if (error.kind === 'redirect') return '';
    throw new IngestionFailure(`The file robots.txt of the site cannot be read. ${error.message}`);
  }
}

/** Reads files of a site in a thread. Rejects with `ContentFault`. */
export const readSite = reader<typeof tasks>('pages', new URL('./crawl-tasks.ts', import.meta.url));

/** Fetches an address of the site, after its turn. */
export type Get = (url: string, request?: OutboundRequest) => Promise<OutboundResponse>;
