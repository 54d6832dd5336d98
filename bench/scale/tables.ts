import type { UnitCosts } from '../costs/unit-costs.ts';
import { assumptions, type Values } from './assumptions.ts';
import { type Needs, needsOf } from './model.ts';
import { wallsOf } from './walls.ts';

const number = (value: number) => {
  if (!Number.isFinite(value)) return 'none';
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
};
const markdown = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const lines: [string, (needs: Needs) => string][] = [
  ['items a month; a second at the peak', ({ work, peak }) => `${number(work.item)}; ${number(peak.item)}`],
  ['API reads a second at the peak', ({ peak }) => number(peak.read)],
  ['replies a second at the peak', ({ peak }) => number(peak.reply)],
  ['deliveries a second at the peak', ({ peak }) => number(peak.delivery)],
  ['gateway processes (cores)', ({ processes, cores }) => `${number(processes.gateway)} (${number(cores.gateway)})`],
  ['worker processes (cores)', ({ processes, cores }) => `${number(processes.worker)} (${number(cores.worker)})`],
  ['cores of PostgreSQL', ({ cores }) => number(cores.postgres)],
  ['size of PostgreSQL, GB', ({ postgres }) => number(postgres.gigabytes)],
  ['WAL, MB a second', ({ postgres }) => number(postgres.walMb)],
  ['IOPS', ({ postgres }) => number(postgres.iops)],
  ['sessions of PostgreSQL, without a pooler', ({ postgres }) => number(postgres.sessions)],
  ['commits that notify, a second', ({ postgres }) => number(postgres.notifying)],
  ['cores of Temporal', ({ cores }) => number(cores.temporal)],
  ['Temporal actions a second; a month', ({ temporal, work }) => `${number(temporal.actions)}; ${number(work.item * 1.05)}`],
  ['Temporal histories, GB', ({ temporal }) => number(temporal.historyGb)],
  ['network in and out, MB a second', ({ network }) => `${number(network.in)}, ${number(network.out)}`],
  ['uploads, GB', ({ uploadsGb }) => number(uploadsGb)],
];

/** The needs of each number of organizations at their busiest minute. */
export function needsTable(costs: UnitCosts, values: Values, organizations: readonly number[]): string {
  const all = organizations.map((count) => needsOf(costs, values, count));
  const head = ['Organizations', ...organizations.map((count) => count.toLocaleString('en'))];
  return markdown(
    head,
    lines.map(([name, show]) => [name, ...all.map(show)]),
  );
}

/**
 * The resources that more processes do not extend, nearest first.
 * @param only the name of a single resource
 */
export function wallsTable(costs: UnitCosts, values: Values, only?: string): string {
  const walls = wallsOf(costs, values).filter(({ resource }) => only === undefined || resource === only);
  return markdown(
    ['Resource', 'Capacity', 'Organizations', 'At the wall'],
    walls.map(({ resource, capacity, unit, organizations, action }) => [
      resource,
      `${number(capacity)} ${unit}`,
      number(organizations),
      action,
    ]),
  );
}

/** The measured costs. */
export function costsTable({ units }: UnitCosts): string {
  const head = [
    'Unit',
    'Gateway ms',
    'Worker ms',
    'PostgreSQL ms',
    'Temporal ms',
    'WAL bytes',
    'Tables, bytes',
    'Followable commits',
  ];
  const rows = Object.entries(units).map(([name, unit]) => [
    name,
    ...[unit.gatewayMs, unit.workerMs, unit.postgresMs, unit.temporalMs, unit.walBytes].map(number),
    number(Object.values(unit.tables).reduce((sum, bytes) => sum + bytes, 0)),
    number(unit.followableCommits),
  ]);
  return markdown(head, rows);
}

/** The assumptions with their reasons. */
export const assumptionsTable = (): string =>
  markdown(
    ['Name', 'Value', 'Reason'],
    Object.entries(assumptions).map(([name, { value, reason }]) => [`\`${name}\``, value.toLocaleString('en'), reason]),
  );
