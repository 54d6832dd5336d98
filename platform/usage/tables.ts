import type { Tables } from '../database/index.ts';
import { UsageBaseline } from './migrations/0001-baseline.ts';

/** The counts of operations. They are read and written by SQL only. */
export const usageTables: Tables = {
  entities: [],
  migrations: [{ name: 'registry-0001', class: UsageBaseline }],
};
