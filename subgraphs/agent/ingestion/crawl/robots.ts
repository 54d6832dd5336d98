import type { OutboundRequest, OutboundResponse } from '../../../../platform/outbound/index.ts';
import { OutboundRefused } from '../../../../platform/outbound/index.ts';
import { reader } from '../../../../platform/reading/index.ts';
import { ContentFault } from '../../../../platform/reading/task.ts';
import { truncate } from '../../../../schema/text.ts';
import { IngestionFailure } from '../source-state.ts';
import { isSameHost, USER_AGENT } from './crawl-request.ts';
import type { tasks } from './crawl-tasks.ts';

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
