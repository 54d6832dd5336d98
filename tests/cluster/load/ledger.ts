import type { Account, Attempts } from './workload.ts';

const COLUMNS = ['accepted', 'done', 'failed', 'lost', 'doubled'] as const;

/** Sum the accounts of each name. */
function sumUp(accounts: readonly Account[]): Account[] {
  const sums = new Map<string, Account>();
  for (const each of accounts) {
    const sum = sums.get(each.name) ?? { name: each.name, accepted: 0, done: 0, failed: 0, lost: 0, doubled: 0 };
    for (const column of COLUMNS) sum[column] = (sum[column] ?? 0) + (each[column] ?? 0);
    sums.set(each.name, sum);
  }
  return [...sums.values()];
}

/** The accounts as a table, with the requests that clients repeated. */
export function ledger(accounts: readonly Account[], attempts: Attempts): string {
  const row = (name: string, cells: readonly (string | number)[]) =>
    name.padEnd(36) + cells.map((each) => String(each).padStart(10)).join('');
  const lines = sumUp(accounts).map((each) =>
    row(
      each.name,
      COLUMNS.map((column) => each[column] ?? 0),
    ),
  );
  const failures = [...attempts.failures].map(([reason, count]) => `  ${count} × ${reason}`);
  return [row('', COLUMNS), ...lines, '', `${attempts.succeeded} requests succeeded, ${attempts.failed} failed`, ...failures].join(
    '\n',
  );
}

/** Whether nothing that was accepted was lost or done twice. */
export const isBalanced = (accounts: readonly Account[]): boolean =>
  accounts.every(({ lost, doubled }) => lost === 0 && doubled === 0);
