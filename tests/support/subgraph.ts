import { type GraphQLFormattedError, parse } from 'graphql';
import { migrate, openDatabase, type Tables } from '../../subgraphs/common/database.ts';
import { identityTables } from '../../subgraphs/common/identity/tables.ts';
import { scopeFactory } from '../../subgraphs/common/scope.ts';
import { openServices } from '../../subgraphs/common/services.ts';
import { buildSubgraph, inProcess, type SubgraphParts } from '../../subgraphs/common/subgraph.ts';
import { createDatabase } from './database.ts';
import { seedOrganization } from './seed.ts';

const server = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5544/postgres';

export const DASHBOARD = 'https://dashboard.example.com';

/** One subgraph in this process, on a database of its own. */
export async function openSubgraph(parts: SubgraphParts, tables: Tables) {
  const subgraph = await buildSubgraph(parts);
  const { url, drop } = await createDatabase(server);
  const database = await openDatabase(url, [identityTables, tables]);
  await migrate(database);
  const services = await openServices(database, {
    requireCredits: true,
    rateLimitPerMinute: 1_000_000,
    dashboardOrigin: DASHBOARD,
  });
  const source = inProcess(subgraph, scopeFactory(services));

  return {
    sdl: subgraph.sdl,
    /** An organization of the test's own, as `seedOrganization` makes it. */
    seed: (options = {}) => seedOrganization({ ...options, databaseUrl: url }),
    /** What a caller with this key is answered. */
    caller(key?: string, headers: Record<string, string> = {}) {
      const execute = (text: string, variables: Record<string, unknown>) =>
        source.execute({
          document: parse(text),
          text,
          variables,
          context: { headers: { ...(key && { 'x-api-key': key }), ...headers } },
        });
      return {
        /** The data of an operation. Fails the test when there are errors. */
        async ask(text: string, variables: Record<string, unknown> = {}) {
          const { data, errors } = await execute(text, variables);
          if (errors) throw new Error(JSON.stringify(errors));
          // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
          return JSON.parse(JSON.stringify(data)) as any;
        },
        /** Code and message of the first error of an operation, as one line. */
        async refusal(text: string, variables: Record<string, unknown> = {}) {
          const { errors } = await execute(text, variables);
          return errors?.[0] && line(errors[0]);
        },
      };
    },
    async close() {
      await services.close();
      await drop();
    },
  };
}

const line = ({ message, extensions }: GraphQLFormattedError) => `${extensions?.code}: ${message}`;
