import type { UnitCost, UnitCosts } from '../costs/unit-costs.ts';
import { profiles, type Values } from './assumptions.ts';
import { retentionDays } from './retention.ts';

const [DAYS, SECONDS] = [30.4, 86_400];

/** Work in units a month of all organizations. */
export interface Work {
  product: number;
  item: number;
  read: number;
  reply: number;
  delivery: number;
}

/** The resources that an installation needs at its busiest minute. */
export interface Needs {
  organizations: number;
  work: Work;
  /** Units a second at the peak. */
  peak: Work;
  cores: { gateway: number; worker: number; postgres: number; temporal: number };
  processes: { gateway: number; worker: number };
  postgres: { gigabytes: number; walMb: number; iops: number; sessions: number; notifying: number };
  temporal: { actions: number; historyGb: number };
  network: { in: number; out: number };
  uploadsGb: number;
}

const kinds = ['product', 'item', 'read', 'reply', 'delivery'] as const;

export function needsOf({ units }: UnitCosts, values: Values, organizations: number): Needs {
  const v = (name: string) => values[name]!;
  const mean = (key: string) => profiles.reduce((sum, name) => sum + v(`${name}.share`) * v(`${name}.${key}`), 0);
  const all = (key: string) => organizations * mean(key);
  const work: Work = {
    product: all('productWritesPerMonth'),
    item: all('itemsPerMonth'),
    read: all('readsPerDay') * DAYS,
    reply: all('repliesPerDay') * DAYS,
    delivery: all('deliveriesPerDay') * DAYS,
  };
  const perSecond = v('peak') / (DAYS * SECONDS);
  const peak = mapKinds((kind) => work[kind] * perSecond);
  const atPeak = (cost: (unit: UnitCost) => number) => kinds.reduce((sum, kind) => sum + peak[kind] * cost(units[kind]!), 0);
  const cores = (cost: (unit: UnitCost) => number) => atPeak(cost) / 1_000 / v('utilization');

  const gateway = cores(({ gatewayMs }) => gatewayMs);
  const worker = cores(({ workerMs }) => workerMs);
  const postgres = cores(({ postgresMs }) => postgresMs);
  const inProgress = (peak.item * v('itemSeconds')) / v('utilization');
  const processes = {
    // Two of each, so that one may restart.
    gateway: Math.max(2, Math.ceil(gateway)),
    worker: Math.max(2, Math.ceil(worker), Math.ceil(inProgress / v('slots'))),
  };
  const walBytes = atPeak((unit) => unit.walBytes);
  const item = units.item!;
  return {
    organizations,
    work,
    peak,
    cores: { gateway, worker, postgres, temporal: cores(({ temporalMs }) => temporalMs) },
    processes,
    postgres: {
      gigabytes: (all('products') * sizeOf(units.product!) + storedBytes(units, work, v)) / 1e9,
      walMb: walBytes / 1e6,
      // A flush of each commit, and each changed page once.
      iops: atPeak((unit) => unit.walFlushes) + walBytes / 8_192,
      sessions: (processes.gateway + processes.worker) * (v('pool') + 2),
      notifying:
        peak.item * units.item!.followableCommits * v('followedJobs') +
        peak.reply * units.reply!.followableCommits * v('followedReplies') +
        peak.delivery * v('notifyingDeliveries'),
    },
    temporal: {
      // An activity of an item, and the share of its pages, its job and its start.
      actions: peak.item * 1.05,
      historyGb: ((work.item / DAYS) * v('temporalDays') * (item.historyBytes ?? 0)) / 1e9,
    },
    network: networkOf(units, peak, v),
    uploadsGb: all('uploadedMb') / 1e3,
  };
}

const mapKinds = (each: (kind: keyof Work) => number): Work =>
  Object.fromEntries(kinds.map((kind) => [kind, each(kind)])) as unknown as Work;

const sizeOf = ({ tables }: UnitCost) => Object.values(tables).reduce((sum, bytes) => sum + bytes, 0);

/** Bytes that work has left, less what its retention has deleted. The products of a catalog are replaced, not added. */
function storedBytes(units: UnitCosts['units'], work: Work, v: (name: string) => number): number {
  const days = v('months') * DAYS;
  const grown = (['item', 'reply', 'delivery'] as const).map((kind) => {
    const kept = Object.entries(units[kind]!.tables).map(
      ([table, bytes]) => (Math.min(days, retentionDays(table)) / DAYS) * (table === 'catalog.products' ? 0 : bytes),
    );
    return work[kind] * kept.reduce((sum, bytes) => sum + bytes, 0);
  });
  const sources = (work.item / DAYS) * Math.min(days, retentionDays('catalog.source_texts')) * v('sourceKb') * 1_000;
  return grown.reduce((sum, bytes) => sum + bytes, sources);
}

/** Megabytes a second at the peak between the product and the world. */
function networkOf(units: UnitCosts['units'], peak: Work, v: (name: string) => number) {
  const answered = kinds.reduce((sum, kind) => sum + peak[kind] * units[kind]!.responseBytes, 0) / 1e6;
  const requests = peak.read + peak.reply + peak.delivery + peak.product / 100;
  const headers = (requests * v('headersKb')) / 1e3;
  const provider = ((peak.item + peak.reply) * v('itemTokensKb')) / 1e3;
  const deliveries = (peak.delivery * v('deliveryKb')) / 1e3;
  return { in: headers + provider / 10, out: answered + headers + provider + deliveries };
}
