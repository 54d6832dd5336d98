import type { Requirement } from '../schema/request.ts';
import { type Key, type Row, type Table, table } from './route.ts';
import { catalog } from './surfaces.ts';

/** The requirement of rows that start AI jobs. */
export const spending: Requirement = { ...catalog.requires, gates: ['credits'] };

/** A table of rows of AI jobs. Its MCP tools that write have a group of their own, because they spend credits. */
export const jobTable = <K extends Key>(rows: Record<K, Row>): Table =>
  table(catalog, rows, { read: 'catalog-read', write: 'jobs' });
