import { readFile } from 'node:fs/promises';
import { readUnitCosts } from '../../bench/costs/unit-costs.ts';
import { assumptions, valuesOf } from '../../bench/scale/assumptions.ts';
import { documentFile, fillTables, ORGANIZATIONS, tablesOf } from '../../bench/scale/document.ts';
import { needsOf } from '../../bench/scale/model.ts';
import { wallsOf } from '../../bench/scale/walls.ts';

const costs = await readUnitCosts();

test('docs/scale.md shows the tables that the model prints', async () => {
  const document = await readFile(documentFile, 'utf8');
  expect(fillTables(document, tablesOf(costs, valuesOf([]), ORGANIZATIONS))).toBe(document);
});

test('each assumption changes a result', () => {
  const needs = (set: string[]) => JSON.stringify([needsOf(costs, valuesOf(set), 100_000), wallsOf(costs, valuesOf(set))]);
  const base = needs([]);
  const idle = Object.entries(assumptions).filter(([name, { value }]) => needs([`${name}=${3 * value + 1}`]) === base);
  expect(idle.map(([name]) => name)).toEqual([]);
  expect(() => valuesOf(['typical.wishes=1'])).toThrow('typical.wishes');
});

test('twice the organizations need twice the database', () => {
  const [one, two] = [needsOf(costs, valuesOf([]), 50_000), needsOf(costs, valuesOf([]), 100_000)];
  expect(two.postgres.gigabytes / one.postgres.gigabytes).toBeCloseTo(2);
  expect(two.cores.postgres / one.cores.postgres).toBeCloseTo(2);
});
