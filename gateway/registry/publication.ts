import { type GraphQLSchema, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { createGateway } from '../compiled-gateway.ts';
import { subgraphsOf } from '../supergraph/contents.ts';
import { cleaned } from '../usage/collector.ts';
import { checkSchema, reportOf, type SchemaCheck, schemaOf } from '../usage/schema-check.ts';
import {
  addPublished,
  newestPublished,
  type PublishedSchema,
  type PublishedSubgraph,
  readPublished,
  type SchemaContents,
} from './published-schemas.ts';
import type { Registry } from './registry-database.ts';
import { definitionsIn } from './schema-diff.ts';
import { listSchemas } from './served-schemas.ts';
import { recordedOperations } from './usage-reports.ts';

/** A new or changed subgraph. Without an address it keeps the one that it has. */
export type ProposedSubgraph = Omit<PublishedSubgraph, 'url'> & { readonly url?: string };

/** A change of the published schema. */
export type Proposal =
  /** These subgraphs, with all others of the current version except the removed ones. */
  | { readonly subgraphs: readonly ProposedSubgraph[]; readonly removed?: readonly string[] }
  /** A supergraph that was composed elsewhere. */
  | { readonly supergraph: string }
  /** An earlier version. */
  | { readonly restored: number };

interface PublishOptions {
  /** Printable characters, cut at 100. */
  author: string;
  /** Publish also what breaks recorded operations. */
  acceptBreaking?: boolean;
  /** Publish only if this version is the current one; 0 if none was published. */
  expected?: number;
  /** Days of recorded operations. */
  days: number;
}

export interface Published {
  readonly outcome:
    | 'published'
    /** The current version has the same contents. */
    | 'unchanged'
    /** It breaks recorded operations. */
    | 'refused';
  /** The current version afterwards; undefined if there is none. */
  readonly version: number | undefined;
  readonly check: SchemaCheck;
  /** Subgraphs without an address. A gateway refuses the version unless its configuration has one. */
  readonly unaddressed?: readonly string[];
}

/** Each failed attempt means that somebody else has published. */
const MAX_ATTEMPTS = 100;
/** Characters of a stored report. */
const MAX_REPORT = 20_000;
const MAX_AUTHOR = 100;

/**
 * Publish a schema as the next version, after a check by the recorded operations. Publications at the same time follow each other: each is
 * composed with the one before. Throws `SchemaFault` for a schema that does not compose or cannot be served.
 */
export async function publishSchema(registry: Registry, proposal: Proposal, options: PublishOptions): Promise<Published> {
  const author = cleaned(options.author, MAX_AUTHOR);
  if (author === '') throw new SchemaFault('The author must have printable characters');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const current = await newestPublished(registry);
    if (options.expected !== undefined && options.expected !== (current?.version ?? 0))
      throw new SchemaFault(`The current version is ${current?.version ?? 0}, not ${options.expected}`);
    const contents = await contentsOf(registry, proposal, current);
    requireSupergraph(contents);
    const schema = apiSchemaIn(contents.supergraph);
    const check = await checkAgainst(await currentApi(registry, current), schema, registry, options.days);
    if (current && isSame(contents, current)) return { outcome: 'unchanged', version: current.version, check };
    if (check.verdict === 'breaks' && !options.acceptBreaking) return { outcome: 'refused', version: current?.version, check };
    const version = (current?.version ?? 0) + 1;
    const isAdded = await addPublished(registry, {
      ...contents,
      version,
      api: storable(definitionsIn(printSchema(lexicographicSortSchema(schema)))),
      author,
      verdict: check.verdict,
      report: reportOf(check, options.days).slice(0, MAX_REPORT).toWellFormed(),
      restored: 'restored' in proposal ? proposal.restored : null,
    });
    if (isAdded) return { outcome: 'published', version, check, unaddressed: unaddressedIn(contents) };
  }
  throw new Error('Others publish all the time; try again later');
}

/**
 * Check a proposal without publishing it.
 * @param against SDL to compare with, instead of the published schema, or the one that gateways serve
 */
export async function checkProposal(
  registry: Registry,
  proposal: Proposal,
  { days, against }: { days: number; against?: string },
): Promise<SchemaCheck> {
  const current = await newestPublished(registry);
  const { supergraph } = await contentsOf(registry, proposal, current);
  const before = against ?? (await currentApi(registry, current));
  if (before === undefined) {
    throw new SchemaFault('No schema was published, and no gateway has recorded one; name one by --against <file or url>');
  }
  return checkAgainst(before, apiSchemaIn(supergraph), registry, days);
}

const currentApi = async (registry: Registry, current: PublishedSchema | undefined): Promise<string | undefined> =>
  current ? Object.values(current.api).join('\n\n') : (await listSchemas(registry, { limit: 1, offset: 0 })).nodes[0]?.text;

/** Without a schema before, only operations that become invalid can break. */
async function checkAgainst(before: string | undefined, schema: GraphQLSchema, registry: Registry, days: number) {
  const recorded = await recordedOperations(registry, days);
  return checkSchema(before === undefined ? schema : apiSchemaIn(before), schema, recorded);
}

/** A description may escape a null character, which PostgreSQL cannot store. */
function storable(definitions: Record<string, string>): Record<string, string> {
  const [name] = Object.entries(definitions).find(([, text]) => text.includes('\0')) ?? [];
  if (name !== undefined) throw new SchemaFault(`The description of ${name} has a null character`);
  return definitions;
}

const unaddressedIn = ({ supergraph }: SchemaContents): string[] =>
  subgraphsOf(supergraph).flatMap(({ name, url }) => (url === '' ? name : []));

/** Throws `SchemaFault` for SDL that is no supergraph. */
function requireSupergraph({ supergraph }: SchemaContents): void {
  documentOf(supergraph, 'The supergraph');
  try {
    subgraphsOf(supergraph);
  } catch (error) {
    throw new SchemaFault(`The supergraph ${(error as Error).message}`);
  }
}

/** The schema for callers in the SDL of a supergraph or of such a schema. Throws `SchemaFault` if a gateway cannot serve it. */
function apiSchemaIn(sdl: string): GraphQLSchema {
  documentOf(sdl, 'The schema');
  try {
    return withDepth('The schema', () => {
      if (!/\benum\s+join__Graph\b/.test(sdl)) return schemaOf(sdl);
      const sources = Object.fromEntries(subgraphsOf(sdl).map(({ name }) => [name, unreachable]));
      return createGateway({ supergraph: sdl, sources }).schema;
    });
  } catch (error) {
    throw error instanceof SchemaFault ? error : new SchemaFault(`The schema cannot be served: ${(error as Error).message}`);
  }
}

const unreachable = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };

async function contentsOf(registry: Registry, proposal: Proposal, current: PublishedSchema | undefined): Promise<SchemaContents> {
  if ('supergraph' in proposal) return { supergraph: proposal.supergraph, subgraphs: [] };
  if ('restored' in proposal) {
    const found = await readPublished(registry, proposal.restored);
    if (!found) throw new SchemaFault(`There is no version ${proposal.restored}; the last 200 are kept`);
    return { supergraph: found.supergraph, subgraphs: found.subgraphs };
  }
  const subgraphs = withOthers(proposal.subgraphs, proposal.removed ?? [], current);
  return { supergraph: await composeSubgraphs(subgraphs), subgraphs };
}

function withOthers(
  given: readonly ProposedSubgraph[],
  removed: readonly string[],
  current: PublishedSchema | undefined,
): PublishedSubgraph[] {
  const published = new Map((current?.subgraphs ?? []).map((each) => [each.name, each]));
  const named = new Set([...given.map(({ name }) => name), ...removed]);
  if (named.size < given.length + removed.length) throw new SchemaFault('A subgraph is named twice');
  const inCurrent = current ? namesIn(current) : [];
  const unknown = inCurrent.filter((name) => !published.has(name) && !named.has(name));
  if (unknown.length > 0) {
    const names = unknown.join(', ');
    throw new SchemaFault(
      `Version ${current!.version} was published as a supergraph, so the SDL of its subgraphs is not known: name ${names} too`,
    );
  }
  const missing = removed.filter((name) => !inCurrent.includes(name));
  if (missing.length > 0) throw new SchemaFault(`There is no published subgraph ${missing.join(', ')}`);
  const changed = given.map(({ name, url, sdl }) => ({ name, url: addressOf(name, url ?? published.get(name)?.url ?? ''), sdl }));
  const kept = [...published.values()].filter(({ name }) => !named.has(name));
  return [...kept, ...changed].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws `SchemaFault` for a version that somebody wrote into the table. */
function namesIn({ version, supergraph }: PublishedSchema): string[] {
  try {
    return subgraphsOf(supergraph).map(({ name }) => name);
  } catch {
    throw new SchemaFault(`The current version ${version} is no supergraph; bring an earlier one back by restore`);
  }
}

function addressOf(name: string, url: string): string {
  if (!/^[a-z_][\w-]{0,63}$/i.test(name)) {
    throw new SchemaFault(
      `The name of a subgraph has 1 to 64 letters, digits, _ and -, and begins with a letter: ${JSON.stringify(name)}`,
    );
  }
  if (url === '') return url;
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw new SchemaFault(`The address of ${name} must begin with http:// or https://`);
  const { username, password } = new URL(url);
  // Everybody who reads the history would see them.
  if (username || password) throw new SchemaFault(`The address of ${name} must have no credentials`);
  return url;
}

const isSame = (one: SchemaContents, other: SchemaContents): boolean =>
  one.supergraph === other.supergraph && JSON.stringify(listed(one)) === JSON.stringify(listed(other));

const listed = ({ subgraphs }: SchemaContents) => subgraphs.map(({ name, url, sdl }) => [name, url, sdl]);

/** A schema that cannot be published or checked, with the reason. */
export class SchemaFault extends Error {}

/** Bytes of one SDL. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FAULTS = 50;

/** Compose subgraphs to a supergraph. Throws `SchemaFault` with the reasons if they do not compose. */
export async function composeSubgraphs(subgraphs: readonly PublishedSubgraph[]): Promise<string> {
  const { composeServices } = await import('@apollo/composition');
  const services = subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: documentOf(sdl, `The subgraph ${name}`) }));
  const { supergraphSdl, errors = [] } = withDepth('The schema', () => composeServices(services));
  if (supergraphSdl) return supergraphSdl;
  const reasons = errors.slice(0, MAX_FAULTS).map(({ message }) => `  ${message}`);
  if (errors.length > MAX_FAULTS) reasons.push(`  and ${errors.length - MAX_FAULTS} more`);
  throw new SchemaFault(['The subgraphs do not compose:', ...reasons].join('\n'));
}

/** Throws `SchemaFault` for SDL that cannot be read or stored. */
function documentOf(sdl: string, title: string) {
  if (Buffer.byteLength(sdl) > MAX_BYTES) throw new SchemaFault(`${title} has more than ${MAX_BYTES / 1024 / 1024} MiB`);
  // PostgreSQL cannot store it.
  if (sdl.includes('\0')) throw new SchemaFault(`${title} has a null character`);
  try {
    return withDepth(title, () => parse(sdl));
  } catch (error) {
    if (error instanceof SchemaFault) throw error;
    throw new SchemaFault(`${title} is not GraphQL: ${(error as Error).message}`);
  }
}

/** Run a recursive reader. Text that nests too deeply is a fault of the text. */
function withDepth<T>(title: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new SchemaFault(`${title} nests too deeply`);
    throw error;
  }
}
