import type { UnitCosts } from '../costs/unit-costs.ts';
import type { Values } from './assumptions.ts';
import { type Needs, needsOf } from './model.ts';

/** A resource that cannot grow by more processes. */
export interface Wall {
  resource: string;
  /** Demand and capacity in the same unit. */
  unit: string;
  capacity: number;
  demand: number;
  /** Organizations at which the demand reaches the capacity. */
  organizations: number;
  action: string;
}

interface Resource {
  resource: string;
  unit: string;
  capacity: number;
  demand(needs: Needs): number;
  action: string;
}

/** The walls, nearest first. All demands grow in proportion to the organizations. */
export function wallsOf(costs: UnitCosts, values: Values): Wall[] {
  const organizations = 100_000;
  const needs = needsOf(costs, values, organizations);
  return resources(costs, values)
    .map(({ demand, ...resource }) => {
      const demanded = demand(needs);
      return { ...resource, demand: demanded, organizations: Math.round((organizations * resource.capacity) / demanded) };
    })
    .toSorted((a, b) => a.organizations - b.organizations);
}

function resources({ database }: UnitCosts, values: Values): Resource[] {
  const v = (name: string) => values[name]!;
  const hourly = (rows: number) => rows / (30.4 * 24);
  return [
    {
      resource: 'commits that notify',
      unit: 'a second',
      capacity: database.notifyingPerSecond * v('utilization'),
      demand: ({ postgres }) => postgres.notifying,
      action: 'a faster disk for the WAL; a database for each region or group of organizations',
    },
    {
      resource: 'cores of PostgreSQL',
      unit: 'cores',
      capacity: v('postgresCores'),
      demand: ({ cores }) => cores.postgres,
      action: 'a database for each group of organizations',
    },
    {
      resource: `size of PostgreSQL after ${v('months')} months`,
      unit: 'GB',
      capacity: v('postgresTb') * 1_000,
      demand: ({ postgres }) => postgres.gigabytes,
      action: 'a shorter retention of sources, or a database for each group of organizations',
    },
    {
      resource: 'WAL of PostgreSQL',
      unit: 'MB a second',
      capacity: v('walMbPerSecond'),
      demand: ({ postgres }) => postgres.walMb,
      action: 'a database for each group of organizations',
    },
    {
      resource: 'IOPS of PostgreSQL',
      unit: 'a second',
      capacity: v('iops'),
      demand: ({ postgres }) => postgres.iops,
      action: 'local NVMe disks with a synchronous standby',
    },
    {
      resource: 'sessions of PostgreSQL',
      unit: 'sessions',
      capacity: v('connections'),
      demand: ({ postgres }) => postgres.sessions,
      action: 'pgbouncer in transaction mode and DATABASE_DIRECT_URL',
    },
    {
      resource: 'hourly deletion of source texts',
      unit: 'texts an hour',
      capacity: (database.sourceTextsPerSecond * v('sweepSeconds')) / 2,
      demand: ({ work }) => hourly(work.item * v('textsPerItem')),
      action: 'a longer time budget of the sweep',
    },
    {
      resource: 'actions of Temporal',
      unit: 'a second',
      capacity: v('temporalActions'),
      demand: ({ temporal }) => temporal.actions,
      action: 'more history shards, which only a new cluster can have; Temporal Cloud; a namespace for each group of organizations',
    },
  ];
}
