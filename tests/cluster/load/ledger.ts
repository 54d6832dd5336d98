import type { Account, Attempts } from './workload.ts';

const COLUMNS = ['accepted', 'done', 'failed', 'lost', 'doubled'] as const;

/** Sums the accounts of each name. */
export class Accounts {
  readonly #sums = new Map<string, Account>();

  add(account: Account): void {
    const { name } = account;
    const sum = this.#sums.get(name) ?? { name, accepted: 0, done: 0, failed: 0, lost: 0, doubled: 0 };
    for (const column of COLUMNS) sum[column] = (sum[column] ?? 0) + (account[column] ?? 0);
    if (account.lost !== 0 || account.doubled !== 0) sum.suspects = [...(sum.suspects ?? []), ...(account.suspects ?? [])];
    this.#sums.set(name, sum);
  }

  list(): Account[] {
    return [...this.#sums.values()];
  }
}

function sumUp(accounts: readonly Account[]): Account[] {
  const sums = new Accounts();
  for (const each of accounts) sums.add(each);
  return sums.list();
}

/** The accounts as a table, with the requests that clients repeated. */
export function ledger(accounts: readonly Account[], attempts: Attempts): string {
  const row = (name: string, cells: readonly (string | number)[]) =>
    name.padEnd(36) + cells.map((each) => String(each).padStart(10)).join('');
  const sums = sumUp(accounts);
  const lines = sums.map((each) =>
    row(
      each.name,
      COLUMNS.map((column) => each[column] ?? 0),
    ),
  );
  const suspects = sums.flatMap(({ name, suspects: ids = [] }) => (ids.length > 0 ? [`suspect ${name}: ${ids.join(', ')}`] : []));
  const failures = [...attempts.failures].map(([reason, count]) => `  ${count} × ${reason}`);
  const slowest = [...attempts.slowest].map(([name, ms]) => `${name} ${(ms / 1_000).toFixed(1)} s`);
  return [
    row('', COLUMNS),
    ...lines,
    ...suspects,
    '',
    `${attempts.succeeded} requests succeeded, ${attempts.failed} failed`,
    ...failures,
    `slowest: ${slowest.join(', ')}`,
  ].join('\n');
}

/** Whether nothing that was accepted was lost or done twice. */
export const isBalanced = (accounts: readonly Account[]): boolean =>
  accounts.every(({ lost, doubled }) => lost === 0 && doubled === 0);
