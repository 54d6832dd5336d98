import { simulate } from '../../start/evaluation/simulation.ts';
import { catalog } from '../../subgraphs/catalog/catalog.ts';
import { catalogTables } from '../../subgraphs/catalog/tables.ts';
import { openSubgraph } from '../support/subgraph.ts';

const graph = await openSubgraph(catalog, catalogTables);
afterAll(() => graph.close());

/** A smaller version of `npm run evaluate:acceptance -- --simulate`. */
const ORGANIZATIONS = 12;
const usual = { kind: 'usual', precision: 0.9, attributes: 4, jobs: 16, hasDrift: false } as const;

test('organizations whose values are right a little too rarely accept nothing, however often people look', async () => {
  const { reached, judged } = await simulate(graph.services, { ...usual, kind: 'worst' }, ORGANIZATIONS);
  expect(judged).toBeGreaterThan(0.4);
  // Each is wrong with a probability of at most 5 %, so that three of twelve happen in 2 % of the runs.
  expect(reached).toBeGreaterThanOrEqual(ORGANIZATIONS - 2);
});

test('organizations of usual values accept a part of them, and reach the wanted precision', async () => {
  const { reachedCounted, accepting, coverage, breaks } = await simulate(graph.services, usual, ORGANIZATIONS);
  expect(accepting).toBeGreaterThan(ORGANIZATIONS / 2);
  expect(reachedCounted).toBeGreaterThanOrEqual(ORGANIZATIONS - 1);
  expect(coverage).toBeGreaterThan(0.1);
  expect(breaks).toBeLessThan(0.5);
});
