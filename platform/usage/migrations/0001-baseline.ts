import { Migration } from '@mikro-orm/migrations';

/** The operations that the graph ran, and their counts by hour and client. They belong to no organization, and only operators read them. */
export class UsageBaseline extends Migration {
  override up(): void {
    this.addSql(`create schema usage; ${operations} ${requests} ${writers} ${schemas}`);
  }
}

const operations = `
create table usage.operations (
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
create index operations_age on usage.operations (seen_at);
`;

const requests = `
create table usage.requests (
  hour timestamptz not null,
  operation text not null, client text not null, version text not null,
  requests bigint not null, errors bigint not null,
  durations bigint[] not null,
  -- Requests by the argument, input field or enum value that they sent in variables.
  sent jsonb not null,
  primary key (hour, operation, client, version)
);
`;

const writers = `
-- The last batch of each process, so that a batch that is sent again counts once.
create table usage.writers (id uuid primary key, sequence bigint not null, at timestamptz not null);
-- The retention.
create index writers_age on usage.writers (at);
`;

const schemas = `
-- The schemas that gateways served to callers. The one that was recorded last is current.
create table usage.schemas (
  hash text primary key,
  text text not null,
  -- Coordinates with description and reason of deprecation.
  parts jsonb not null,
  created_at timestamptz not null default now(), seen_at timestamptz not null default now()
);
-- The current schema.
create index schemas_age on usage.schemas (seen_at);
`;
