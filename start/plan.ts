import { prettyFormatQueryPlan } from '@apollo/query-planner';
import { createGateway, subgraphsOf } from 'compiled-gateway';
import { createPlanner } from 'compiled-gateway/planner';
import { getOperationAST, parse, validate } from 'graphql';
import { readEnvironment } from '../schema/environment.ts';
import { readSupergraph } from './gateway/supergraph.ts';
import { describeError } from './process/run.ts';

/** Prints the query plan of an operation for the supergraph in `SUPERGRAPH`, before compilation. */
const [text] = process.argv.slice(2);
if (!text) exit("Usage: npm run -s plan -- '{ identity { userId } }'");

try {
  const { text: supergraph } = await readSupergraph(readEnvironment(['SUPERGRAPH', 'SUPERGRAPH_HEADERS']));
  const unused = { execute: () => ({ data: null }), subscribe: async () => ({ data: null }) };
  const sources = Object.fromEntries(subgraphsOf(supergraph).map(({ name }) => [name, unused]));
  const { schema } = createGateway({ supergraph, sources });
  const document = parse(text);
  const faults = validate(schema, document);
  if (faults.length > 0) exit(faults.map(({ message }) => message).join('\n'));
  const node = createPlanner(supergraph, schema).plan(document, getOperationAST(document)!);
  process.stdout.write(`${prettyFormatQueryPlan({ kind: 'QueryPlan', node })}\n`);
} catch (error) {
  exit(`plan: ${describeError(error)}`);
}

function exit(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
