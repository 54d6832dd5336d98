import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { keepAlive } from './database.ts';

// Fragments of SQL that the migrations of several schemas share. The functions that they call are in the baseline of `identity`.

/** The organization that owns a row, which is deleted with it. */
export const OF_ORGANIZATION =
  'organization_id uuid not null references identity.organizations on delete cascade deferrable initially deferred';
export const OWNED = `id uuid primary key, ${OF_ORGANIZATION}`;

interface CountedList {
  table: `${string}.${string}`;
  list: string;
  /** Columns by which the rows are counted apart. */
  by?: string[];
}

/** Triggers that keep the size of a list in `identity.row_counts`, so that a page needs no count of all rows. */
export function rowCountTriggers({ table, list, by = [] }: CountedList): string {
  const values = [list, ...by].map((text) => `'${text}'`).join(', ');
  const name = `count_${list}`;
  const isMoved = by.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  return `
create trigger ${name}_added after insert on ${table} referencing new table as added
  for each statement execute function identity.count_rows(${values});
create trigger ${name}_removed after delete on ${table} referencing old table as removed
  for each statement execute function identity.count_rows(${values});
${by.length > 0 ? `create trigger ${name}_moved after update of ${by.join(', ')} on ${table} for each row when (${isMoved}) execute function identity.recount_row(${values});` : ''}`;
}

/** A table whose rows count against the storage quota of their organization. */
interface CountedTable {
  table: `${string}.${string}`;
  /** SQL of the bytes of a row `r`. */
  bytes: string;
  /** SQL of the organization of a row `r`; its column by default. */
  organization?: string;
  /** Whether a statement that adds rows `r` beyond the quota fails, as a constant or SQL; true by default. */
  refuses?: boolean | string;
  /** SQL that tells the updated rows `r` that the quota refuses when they grow. Updates are not counted without it. */
  updates?: string;
}

const sum = (columns: string[], sizeOf: (column: string) => string) =>
  columns.map((column) => `coalesce(${sizeOf(`r.${column}`)}, 0)`).join(' + ');
/** SQL of the bytes of columns of text. */
export const textBytes = (...columns: string[]) => sum(columns, (column) => `octet_length(${column})`);
/** SQL of the bytes of columns of type `text[]`. */
export const listBytes = (...columns: string[]) => sum(columns, (column) => `identity.text_bytes(${column})`);
/** SQL of the bytes of columns of type `jsonb`. */
export const jsonBytes = (...columns: string[]) => sum(columns, (column) => `identity.json_bytes(${column})`);

/** Triggers that count the bytes of a table in `identity.stored_bytes`, once for each statement. */
export function byteCountTriggers({
  table,
  bytes,
  organization = 'r.organization_id',
  refuses = true,
  updates,
}: CountedTable): string {
  const name = `identity.${table.replace('.', '_')}_bytes`;
  const change = (rows: string, sign: '' | '-', isRefused: string) =>
    `select ${organization} as owner, ${sign}(${bytes})::bigint as n, ${isRefused} as refused from ${rows} r`;
  const trigger = (event: string, when: string, tables: string, rows: string) => `
create function ${name}_${event}() returns trigger language plpgsql as $$ begin
  perform identity.add_bytes(owner, '${table}', sum(n)::bigint, bool_or(refused)) from (${rows}) c where owner is not null group by owner;
  return null;
end $$;
create trigger bytes_${event} after ${when} on ${table} referencing ${tables} for each statement execute function ${name}_${event}();`;
  const changed = [change('after_rows', '', updates ?? 'false'), change('before_rows', '-', 'false')].join(' union all ');
  return [
    trigger('added', 'insert', 'new table as after_rows', change('after_rows', '', String(refuses))),
    trigger('removed', 'delete', 'old table as before_rows', change('before_rows', '-', 'false')),
    ...(updates === undefined ? [] : [trigger('changed', 'update', 'new table as after_rows old table as before_rows', changed)]),
  ].join('');
}

const CONNECT_TIMEOUT = 10_000;

/**
 * A migration of indexes or rows of a large table, which neither reads nor writes wait for. Its statements run one by one, outside of a
 * transaction, because PostgreSQL builds indexes concurrently only there. Each must be safe to repeat, because an interrupted migration runs again.
 */
export abstract class OnlineMigration extends Migration {
  protected abstract readonly statements: readonly string[];

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    // Not from the pool, which has the statement timeout of requests, and may have a single connection.
    const client = new pg.Client({
      ...{ connectionString: this.config.get('clientUrl'), connectionTimeoutMillis: CONNECT_TIMEOUT },
      ...keepAlive,
    });
    client.on('error', () => {});
    await client.connect();
    try {
      for (const statement of this.statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

/** Statements that build an index concurrently. They first drop what an interrupted build left. */
export const buildIndex = (name: `${string}.${string}`, definition: string): string[] => [
  `drop index concurrently if exists ${name}`,
  `create index concurrently ${name.split('.')[1]} on ${definition}`,
];
