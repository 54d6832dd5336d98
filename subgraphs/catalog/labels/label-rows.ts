import { query, sql } from '../../../platform/database/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { Items } from '../jobs/service.ts';
import type { LabelSubject } from './entity.ts';
import { subjects } from './subjects.ts';

export type Row = Record<string, unknown>;

/** The submitted rows as job items, labeled by name. Throws `INVALID_INPUT` if a row has no name. */
export function rowItems(subject: LabelSubject, rows: Row[]): Items {
  const labels = rows.map((row, index) => nameOf(subject, row, index));
  const text = JSON.stringify(rows);
  const { mostBytes = Number.POSITIVE_INFINITY } = subjects[subject];
  if (Buffer.byteLength(text) > mostBytes) throw fail('INVALID_INPUT', `rows must be at most ${mostBytes / 1024 / 1024} MB`);
  return {
    count: rows.length,
    insert: ({ em, organizationId }, jobId) =>
      query(
        em,
        sql`insert into catalog.job_items (id, organization_id, job_id, ordinal, turn, subject, label, input_data)
            select gen_random_uuid(), ${organizationId}, ${jobId}, n - 1, n - 1, ${subject}, label, input
              from rows from (unnest(${labels}::text[]), json_array_elements(${text}::json)) with ordinality as given (label, input, n)`,
      ),
  };
}

function nameOf(subject: LabelSubject, row: Row, index: number): string {
  const { nameKeys, longestName } = subjects[subject];
  const [name] = nameKeys.flatMap((key) => (Object.hasOwn(row, key) ? textOf(row[key]) : []));
  if (name === undefined)
    throw fail('INVALID_INPUT', `rows[${index}] needs a value that is not blank under ${nameKeys.join(', ')}`);
  if ([...name].length > longestName)
    throw fail('INVALID_INPUT', `rows[${index}] has a name of more than ${longestName} characters`);
  return name;
}

/** Numbers are valid names, for example `3`. */
function textOf(value: unknown): string[] {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' ? [] : [text];
}
