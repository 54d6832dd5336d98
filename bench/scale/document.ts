import { join } from 'node:path';
import type { UnitCosts } from '../costs/unit-costs.ts';
import type { Values } from './assumptions.ts';
import { assumptionsTable, costsTable, needsTable, wallsTable } from './tables.ts';

/** The columns of the document. */
export const ORGANIZATIONS = [10, 1_000, 100_000];

export const documentFile = join(import.meta.dirname, '../../docs/scale.md');

/** The tables of `docs/scale.md` by name. */
export const tablesOf = (costs: UnitCosts, values: Values, organizations: readonly number[]): Record<string, string> => ({
  needs: needsTable(costs, values, organizations),
  walls: wallsTable(costs, values),
  notifying: wallsTable(costs, { ...values, followedJobs: 1, followedReplies: 1, notifyingDeliveries: 1 }, 'commits that notify'),
  costs: costsTable(costs),
  assumptions: assumptionsTable(),
});

/** The document with each of the tables between its two comments. */
export function fillTables(document: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`),
        (_, start: string, end: string) => `${start}${table}\n${end}`,
      ),
    document,
  );
}
