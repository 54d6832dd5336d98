/** The schema of a registry that names none. */
export const DEFAULT_SCHEMA = 'graph_registry';

/** The statements that create a registry, for one transaction. They keep what exists. */
export const registryTables = (schema: string): string => inSchema(`${create(schema)} ${TABLES}`, schema);

/** The statement for the schema of a registry. In its text, `registry.` stands for the schema. */
export const inSchema = (text: string, schema: string): string => text.replaceAll('registry.', `"${schema}".`);

/** `create schema if not exists` would need the permission to create one even if it exists. */
const create = (schema: string) =>
  `do $$ begin if to_regnamespace('"${schema}"') is null then create schema "${schema}"; end if; end $$;`;

const TABLES = `
create table if not exists registry.operations (
  -- Of the text, and of the REST row that runs it.
  hash text primary key,
  name text not null, kind text not null, label text not null,
  -- Without literals and aliases.
  text text not null,
  -- The parts of the schema that every request uses, and those that a variable fills.
  coordinates text[] not null, filled text[] not null,
  seen_at timestamptz not null default now()
);
-- The retention.
create index if not exists operations_age on registry.operations (seen_at);

create table if not exists registry.requests (
  hour timestamptz not null,
  operation text not null, client text not null, version text not null,
  requests bigint not null, errors bigint not null,
  durations bigint[] not null,
  -- Requests by the argument, input field or enum value that they sent in variables.
  sent jsonb not null,
  primary key (hour, operation, client, version)
);

-- The last batch of each process, so that a batch that is sent again counts once.
create table if not exists registry.writers (id uuid primary key, sequence bigint not null, at timestamptz not null);
-- The retention.
create index if not exists writers_age on registry.writers (at);

-- The schemas that gateways served to callers. The one that was recorded last is current.
create table if not exists registry.schemas (
  hash text primary key,
  text text not null,
  -- Coordinates with description and reason of deprecation.
  parts jsonb not null,
  created_at timestamptz not null default now(), seen_at timestamptz not null default now()
);
-- The current schema.
create index if not exists schemas_age on registry.schemas (seen_at);

-- The supergraphs that people published. The one with the highest version is current.
create table if not exists registry.publications (
  version int primary key check (version > 0),
  supergraph text not null,
  -- Name, address and SDL of each subgraph; an empty list if only the supergraph is known.
  subgraphs jsonb not null,
  -- The schema for callers: each definition as SDL, by name.
  api jsonb not null,
  author text not null,
  published_at timestamptz not null default now(),
  -- The earlier version that this one brings back.
  restored int,
  -- Of the check of the changes since the version before.
  verdict text not null check (verdict in ('safe', 'breaks', 'unknown')), report text not null
);
`;
