import pg from 'pg';
import { StepwiseMigration } from './online.ts';

/** A table whose rows count against the storage quota of their organization. */
interface CountedTable {
  table: `${string}.${string}`;
  /** SQL of the bytes of a row `r`. */
  bytes: string;
  /** SQL of the organization of a row `r`; its column by default. */
  organization?: string;
  /** Whether a statement that adds rows beyond the quota fails; true by default. */
  refuses?: boolean;
  /** SQL that tells the updated rows `r` that the quota refuses when they grow. Updates are not counted without it. */
  updates?: string;
}

const sum = (columns: string[], sizeOf: (column: string) => string) =>
  columns.map((column) => `coalesce(${sizeOf(`r.${column}`)}, 0)`).join(' + ');
/** SQL of the bytes of columns of text. */
export const text = (...columns: string[]) => sum(columns, (column) => `octet_length(${column})`);
/** SQL of the bytes of columns of type `text[]`. */
export const list = (...columns: string[]) => sum(columns, (column) => `identity.text_bytes(${column})`);
/** SQL of the bytes of columns of type `jsonb`. */
export const json = (...columns: string[]) => sum(columns, (column) => `identity.json_bytes(${column})`);

const LOCK_TIMEOUT = `set local lock_timeout = '5s'`;

/**
 * Counts the bytes of tables from now on, and those of the rows that exist. Nobody waits while they are counted: triggers count all changes
 * after a snapshot, and the rows of the snapshot are added without a lock.
 */
export abstract class CountedBytes extends StepwiseMigration {
  protected abstract readonly tables: readonly CountedTable[];

  protected override async migrate(client: pg.Client): Promise<void> {
    const reader = await this.connect();
    try {
      for (const each of this.tables) await count(client, reader, each);
    } finally {
      await reader.end();
    }
  }
}

async function count(client: pg.Client, reader: pg.Client, counted: CountedTable): Promise<void> {
  const { table, bytes, organization = 'r.organization_id' } = counted;
  await client.query(`begin; ${LOCK_TIMEOUT}; lock table ${table} in share row exclusive mode`);
  await client.query(triggersOf(counted));
  // An interrupted migration may have counted them.
  await client.query('delete from identity.stored_bytes where list = $1', [table]);
  const { rows } = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot');
  await reader.query(`begin isolation level repeatable read; set transaction snapshot '${rows[0]!.snapshot}'`);
  await client.query('commit');
  await reader.query(
    `insert into identity.stored_bytes (organization_id, list, bytes)
     select organization_id, '${table}', sum(n) from (select ${organization} as organization_id, ${bytes} as n from ${table} r) counted
      where organization_id is not null group by 1`,
  );
  await reader.query('commit');
}

function triggersOf({ table, bytes, organization = 'r.organization_id', refuses = true, updates }: CountedTable): string {
  const name = `identity.${table.replace('.', '_')}_bytes`;
  const change = (rows: string, sign: '' | '-', isRefused: string) =>
    `select ${organization} as owner, ${sign}(${bytes})::bigint as n, ${isRefused} as refused from ${rows} r`;
  const trigger = (event: string, when: string, tables: string, rows: string) => `
    create or replace function ${name}_${event}() returns trigger language plpgsql as $$ begin
      perform identity.add_bytes(owner, '${table}', sum(n)::bigint, bool_or(refused)) from (${rows}) c where owner is not null group by owner;
      return null;
    end $$;
    create or replace trigger bytes_${event} after ${when} on ${table} referencing ${tables} for each statement execute function ${name}_${event}();`;
  const changed = [change('after_rows', '', updates ?? 'false'), change('before_rows', '-', 'false')].join(' union all ');
  return [
    trigger('added', 'insert', 'new table as after_rows', change('after_rows', '', String(refuses))),
    trigger('removed', 'delete', 'old table as before_rows', change('before_rows', '-', 'false')),
    ...(updates === undefined ? [] : [trigger('changed', 'update', 'new table as after_rows old table as before_rows', changed)]),
  ].join('\n');
}
