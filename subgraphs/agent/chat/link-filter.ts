import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Agent } from '../agents/entity.ts';
import type { Tool } from '../tools/entity.ts';
import { domainsOf, isAllowedHost } from '../tools/tool-request.ts';

/** Sources and tools that are read; agents have at most 200 and 100. */
const MAX = 300;

/**
 * Whether a reply of an agent may link to a URL: to the hosts of its sources and tools, and to the origins that embed it. A link could carry
 * personal data, so that it leads only to the host of the data once a conversation has some. Without required approvals, there are no rules
 * before.
 * @param tools the tools of a content; by default those that the agent has now
 */
export async function linksOf(
  { em, organizationId }: Scope,
  { id: agentId, draftOf, requireApprovals }: Pick<Agent, 'id' | 'draftOf' | 'requireApprovals'>,
  personalHosts: ReadonlySet<string>,
  tools?: readonly Pick<Tool, 'endpointUrl' | 'allowedDomains'>[],
): Promise<(url: URL) => boolean> {
  const rows = await query(
    em,
    sql<{ endpointUrl: string; allowedDomains: string[] }>`
      select url as "endpointUrl", '{}'::text[] as "allowedDomains" from agent.sources
       where agent_id = ${draftOf ?? agentId} and organization_id = ${organizationId} and url is not null
      union all
      select endpoint_url, allowed_domains from agent.tools where agent_id = ${agentId} and organization_id = ${organizationId}
         and ${tools === undefined}::boolean
      union all
      select unnest(allowed_origins), '{}' from agent.agents where id = ${agentId} and organization_id = ${organizationId}
      limit ${MAX}`,
  );
  const domains = [...new Set([...rows, ...(tools ?? [])].flatMap(domainsOf))];
  return ({ hostname }) => {
    if (!requireApprovals && personalHosts.size === 0) return true;
    return isAllowedHost(hostname, domains) && [...personalHosts].every((each) => each === hostname);
  };
}

/** Characters of one word. A longer one is split, so that its end belongs to no address. */
const MAX_WORD = 4_000;

/** Only these end an address for all renderers. */
const SPACES = ' \t\r\n\f';
/**
 * The start of an address: a destination of Markdown, a scheme, two slashes, or `www.`. The address continues to the end of the word,
 * because renderers do not agree where it ends.
 */
const START =
  /\]\((?!\))|<[a-z][a-z\d+.-]{1,31}:|[a-z][a-z\d+.-]{1,31}:(?=[/\\])|(?<![a-z\d])(?:https?|ftp|mailto|tel|sms|xmpp|javascript):(?=.)|(?<![\w/\\.])[/\\]{2}(?=.)|www\./gis;
/** The start of an address whose host all renderers read alike, because only a path, or nothing, follows it. */
const PLAIN = /(?:\]\()?<?(?:(?:https?:)?\/\/|(?=www\.))([a-z\d.-]{1,253})(?::\d{1,5})?(?=[/?#]|$)/iy;
/** The start of a tag with attributes, of a script or of a style. Their addresses may contain spaces and line breaks. */
const TAG = /<(?=[a-z][a-z\d-]*(?:$|\/(?!>))|script|style)/gi;
/** Ends of sentences, of Markdown and of quotes. */
const PUNCTUATION = ').,;:!?]}>*_~|\'"`';
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|colon|sol|bsol|period|lpar|rpar|lsqb|rsqb|lbrack|rbrack|tab|newline|amp);?/gi;
const NAMED: Record<string, string> = {
  ...{ colon: ':', sol: '/', bsol: '\\', period: '.', lpar: '(', rpar: ')', lsqb: '[', rsqb: ']', lbrack: '[', rbrack: ']' },
  ...{ tab: '', newline: '', amp: '&' },
};

/**
 * Keeps the links and images of a streamed reply to allowed hosts. Other addresses become text that no renderer follows or loads, such as
 * `https[:]//example.com`, so that a model that obeys somebody else cannot send data by an address. So do definitions of links, and tags with
 * attributes. The filter parses no Markdown, because renderers differ: it accepts only addresses whose host all of them read alike.
 */
export class LinkFilter {
  #held = '';

  /** @param isAllowed whether a reply may link to a URL */
  constructor(private readonly isAllowed: (url: URL) => boolean) {}

  /** The text that can be sent now. The last word may continue in the next delta. */
  write(delta: string): string {
    let start = delta.length;
    while (start > 0 && !SPACES.includes(delta[start - 1]!)) start -= 1;
    const complete = start === 0 ? '' : this.#clean(this.#held + delta.slice(0, start));
    this.#held = start === 0 ? this.#held + delta : delta.slice(start);
    return this.#held.length > MAX_WORD ? `${complete}${this.end()} ` : complete;
  }

  end(): string {
    const text = this.#held;
    this.#held = '';
    return this.#clean(text);
  }

  #clean(text: string): string {
    if (!/[:/\\&<]|\]\(|www\./i.test(text)) return text;
    return text
      .split(/([ \t\r\n\f]+)/)
      .map((word) => this.#cleanWord(word))
      .join('');
  }

  #cleanWord(word: string): string {
    const plain = decoded(word);
    // An address that is hidden by entities or escapes is no address of a person.
    if (plain !== word && this.#read(plain.slice(0, endOf(plain))).foreign !== undefined) return withoutSyntax(asText(plain));
    const end = endOf(word);
    const { foreign, hostEnd } = this.#read(word.slice(0, end));
    if (foreign !== undefined) return withoutSyntax(word.slice(0, foreign) + asText(word.slice(foreign, end)) + word.slice(end));
    // Nothing that follows can continue a host that ends with a slash.
    return withoutSyntax(hostEnd === end ? `${word.slice(0, end)}/${word.slice(end)}` : word);
  }

  /** Where the first address of a word starts, if one of its addresses is not allowed; and where the host of its last address ends. */
  #read(word: string): { foreign?: number; hostEnd?: number } {
    const starts = [...word.matchAll(START)].map(({ index }) => index);
    let hostEnd: number | undefined;
    for (const start of starts) {
      PLAIN.lastIndex = word[start] === '<' ? start + 1 : start;
      const [, host] = PLAIN.exec(word) ?? [];
      const url = host === undefined ? null : URL.parse(`https://${host}`);
      if (url === null || !this.isAllowed(url)) return { foreign: starts[0] };
      hostEnd = PLAIN.lastIndex;
    }
    return { hostEnd };
  }
}

/** Without definitions, no reference is a link. */
const withoutSyntax = (word: string): string => word.replaceAll(']:', '] :').replace(TAG, '< ');

/** The place of the punctuation after a word. Empty parentheses belong to it. */
function endOf(word: string): number {
  let end = word.length;
  while (end > 0 && PUNCTUATION.includes(word[end - 1]!) && !word.endsWith('()', end)) end -= 1;
  return end;
}

/** Text as Markdown reads an address: without entities, escapes and characters that URLs ignore. */
const decoded = (text: string): string =>
  text
    .replace(ENTITY, (entity) => {
      const name = entity.slice(1).replace(/;$/, '').toLowerCase();
      if (name.startsWith('#x')) return characterOf(Number.parseInt(name.slice(2), 16));
      return name.startsWith('#') ? characterOf(Number(name.slice(1))) : (NAMED[name] ?? '');
    })
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[\t\r\n\u00ad\u200b-\u200f\u2060\ufeff]/g, '');

const characterOf = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** An address as people write one that nobody should follow. Nothing in it is a scheme, a host or a destination for a renderer. */
const asText = (address: string): string =>
  decoded(address)
    .replace(/[<>]/g, '')
    .replace(/:/g, '[:]')
    .replace(/^[/\\]{2}/, '[/]/')
    .replace(/([^\]])[/\\]{2}/g, '$1[/]/')
    .replace(/www\./gi, 'www[.]')
    .replaceAll('@', '[@]')
    .replaceAll('](', '] (');
