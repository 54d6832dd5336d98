import type { Registry } from './registry-database.ts';
import { type Counted, countedRows, type Slice } from './registry-database.ts';

export interface PublishedSubgraph {
  readonly name: string;
  /** Empty if the gateway knows its address from its configuration. */
  readonly url: string;
  readonly sdl: string;
}

/** The contents of a version. */
export interface SchemaContents {
  /** Composed SDL. */
  readonly supergraph: string;
  /** Sorted by name; empty if the version was published as a supergraph. */
  readonly subgraphs: readonly PublishedSubgraph[];
}

/** A version without its contents. */
export interface Publication {
  readonly version: number;
  readonly author: string;
  readonly publishedAt: Date;
  /** The earlier version that this one brings back. */
  readonly restored: number | null;
  readonly verdict: 'safe' | 'breaks' | 'unknown';
  /** Markdown of the check. */
  readonly report: string;
  readonly subgraphs: readonly Omit<PublishedSubgraph, 'sdl'>[];
}

export interface PublishedSchema extends SchemaContents {
  readonly version: number;
  /** The schema for callers: the SDL of each definition by name. */
  readonly api: Readonly<Record<string, string>>;
}

/** Versions that are kept. */
const MAX_VERSIONS = 200;
const CONTENTS = 'select version, supergraph, subgraphs, api from registry.publications';

/** The current version. */
export async function newestPublished(registry: Registry): Promise<PublishedSchema | undefined> {
  return (await registry.query<PublishedSchema>(`${CONTENTS} order by version desc limit 1`)).rows[0];
}

export async function readPublished(registry: Registry, version: number): Promise<PublishedSchema | undefined> {
  return (await registry.query<PublishedSchema>(`${CONTENTS} where version = $1`, [version])).rows[0];
}

/** A number may have another schema after the database was restored from a backup, so its time belongs to the key. */
const CURRENT = `
  select key, version, case when key is distinct from $1 then supergraph end as supergraph from (
    select version, version || ' ' || extract(epoch from published_at) as key, supergraph
      from registry.publications order by version desc limit 1) newest`;

/** The key of the current version, and its supergraph unless the key is known. */
export async function currentSupergraph(
  registry: Registry,
  known?: string,
): Promise<{ key: string; version: number; supergraph: string | null } | undefined> {
  return (await registry.query<{ key: string; version: number; supergraph: string | null }>(CURRENT, [known ?? null])).rows[0];
}

/** The newest version before this one. */
export async function supergraphBefore(
  registry: Registry,
  version: number,
): Promise<{ version: number; supergraph: string } | undefined> {
  const text = 'select version, supergraph from registry.publications where version < $1 order by version desc limit 1';
  return (await registry.query<{ version: number; supergraph: string }>(text, [version])).rows[0];
}

export type NewPublication = PublishedSchema & Pick<Publication, 'author' | 'verdict' | 'report' | 'restored'>;

/** Of two that add the same version, the second waits for the first and adds nothing. */
const ADD = `
  insert into registry.publications (version, supergraph, subgraphs, api, author, restored, verdict, report)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (version) do nothing`;
const FORGET = `
  delete from registry.publications where version <= (select max(version) from registry.publications) - ${MAX_VERSIONS}`;

/** Add a version. Returns false if it exists already. */
export async function addPublished(registry: Registry, added: NewPublication): Promise<boolean> {
  const { version, supergraph, subgraphs, api, author, restored, verdict, report } = added;
  const values = [version, supergraph, JSON.stringify(subgraphs), JSON.stringify(api), author, restored, verdict, report];
  const { rowCount } = await registry.query(ADD, values);
  if (rowCount === 1) await registry.query(FORGET);
  return rowCount === 1;
}

const LIST = `
  select version, author, published_at as "publishedAt", restored, verdict, report,
         coalesce((select jsonb_agg(each - 'sdl' order by at) from jsonb_array_elements(subgraphs) with ordinality e(each, at)), '[]') as subgraphs,
         (select count(*)::int from registry.publications) as total
    from registry.publications order by version desc limit $1 offset $2`;

/** The versions, the current one first. */
export async function listPublished(registry: Registry, slice: Slice): Promise<Counted<Publication>> {
  const { rows, total } = await countedRows(slice, (...part) => registry.query<Publication & { total: number }>(LIST, part));
  return { nodes: rows.map(({ total: _, publishedAt, ...row }) => ({ ...row, publishedAt: new Date(publishedAt) })), total };
}
