import { readFile } from 'node:fs/promises';
import { prettyFormatQueryPlan } from '@apollo/query-planner';
import { createGateway, subgraphsOf } from 'compiled-gateway';
import { createPlanner } from 'compiled-gateway/planner';
import { getOperationAST, parse, validate } from 'graphql';
import { readEnvironment } from '../schema/environment.ts';

/** Prints the query plan of an operation for the supergraph in `SUPERGRAPH`, before compilation. */
const [text] = process.argv.slice(2);
if (!text) {
  process.stderr.write("Usage: npm run -s plan -- '{ me { userId } }'\n");
  process.exit(1);
}
const supergraph = await readFile(readEnvironment(['SUPERGRAPH']).SUPERGRAPH, 'utf8');
const unused = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };
const sources = Object.fromEntries(subgraphsOf(supergraph).map(({ name }) => [name, unused]));
const { schema } = createGateway({ supergraph, sources });
const document = parse(text);
const faults = validate(schema, document);
for (const { message } of faults) process.stderr.write(`${message}\n`);
if (faults.length > 0) process.exit(1);
const node = createPlanner(supergraph, schema).plan(document, getOperationAST(document)!);
process.stdout.write(`${prettyFormatQueryPlan({ kind: 'QueryPlan', node })}\n`);
