import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Services } from '../../platform/subgraph/services.ts';
import type { Closers } from '../process/closers.ts';
import { readConfig } from '../process/config.ts';
import { openOwnServices } from '../process-services.ts';
import { startPostgres } from '../servers/postgres.ts';
import { type AcceptedValues, type SimulatedOrganization, simulateOrganization, type World } from './simulated-organization.ts';

/** A temporary database. */
export async function openSimulation(closers: Closers, onStep: (text: string) => void): Promise<Services> {
  const dataDir = await mkdtemp(join(tmpdir(), 'catalog-graph-simulation-'));
  closers.add('data', () => rm(dataDir, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir, onStep });
  closers.add('PostgreSQL', postgres.stop);
  const SECRETS_KEY = [randomBytes(32).toString('base64')];
  const config = { ...readConfig(), SECRETS_KEY, DATABASE_URL: postgres.url, DATABASE_DIRECT_URL: undefined };
  const services = await openOwnServices(config);
  closers.add('services', () => services.close());
  return services;
}

/** The organizations of one world. */
export interface Simulation {
  /** Organizations in which rules accepted anything. */
  accepting: number;
  /** Organizations whose accepted values have the wanted precision, by their chances and by their truth, or that accepted nothing. */
  reached: number;
  reachedCounted: number;
  /** Mean shares of the written values. */
  coverage: number;
  judged: number;
  /** The precision of all accepted values together. */
  precision: number | undefined;
  /** Means of an organization in the second half: accepted values, wrong ones, and breaks of rules in all. */
  late: { values: number; wrong: number };
  breaks: number;
}

/** Organizations that are simulated at the same time. */
const CONCURRENCY = 4;

export async function simulate(services: Services, world: World, count: number): Promise<Simulation> {
  const done: SimulatedOrganization[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      next += 1;
      done.push(await simulateOrganization(services, world, next));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const mean = (of: (each: SimulatedOrganization) => number) => done.reduce((sum, each) => sum + of(each), 0) / count;
  const values = mean(({ accepted }) => accepted.values);
  return {
    accepting: done.filter(({ accepted }) => accepted.values > 0).length,
    reached: done.filter(({ accepted }) => reaches(accepted, accepted.chance, world)).length,
    reachedCounted: done.filter(({ accepted }) => reaches(accepted, accepted.right / accepted.values, world)).length,
    coverage: mean(({ accepted, written }) => accepted.values / written),
    judged: mean(({ judged, written }) => judged / written),
    precision: values > 0 ? mean(({ accepted }) => accepted.right) / values : undefined,
    late: { values: mean(({ late }) => late.values), wrong: mean(({ late }) => late.values - late.right) },
    breaks: mean(({ breaks }) => breaks),
  };
}

const reaches = ({ values }: AcceptedValues, share: number, { precision }: World) => values === 0 || share >= precision;
