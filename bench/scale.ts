import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { readUnitCosts } from './costs/unit-costs.ts';
import { valuesOf } from './scale/assumptions.ts';
import { documentFile, fillTables, ORGANIZATIONS, tablesOf } from './scale/document.ts';

/** Prints what an installation needs for these numbers of organizations, from measured unit costs and assumptions. */
const { organizations, set, write } = parseArgs({
  options: {
    organizations: { type: 'string', default: ORGANIZATIONS.join(',') },
    set: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
  },
}).values;

const counts = organizations.split(',').map(Number);
if (!counts.every((count) => count > 0)) throw new Error(`--organizations takes numbers, not ${organizations}`);
const tables = tablesOf(await readUnitCosts(), valuesOf(set), counts);
if (write) await writeFile(documentFile, fillTables(await readFile(documentFile, 'utf8'), tables));
else process.stdout.write(`${tables.needs}\n\n${tables.walls}\n`);
