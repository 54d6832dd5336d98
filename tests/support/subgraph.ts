import { type GraphQLFormattedError, parse } from 'graphql';
import { migrate, openDatabase, type Tables } from '../../platform/database/database.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { mailTables } from '../../platform/mail/tables.ts';
import { scopeFactory } from '../../platform/scope/index.ts';
import { buildSubgraph, inProcess, type SubgraphParts } from '../../platform/subgraph/build-subgraph.ts';
import { openServices, type ServiceOptions } from '../../platform/subgraph/services.ts';
import { webhookTables } from '../../platform/webhooks/tables.ts';
import { createDatabase } from './database.ts';
import { seedOrganization } from './seed.ts';

export const DASHBOARD = 'https://dashboard.example.com';

/** Open one subgraph in this process, on a separate database. */
export async function openSubgraph(parts: SubgraphParts, tables: Tables, options: Partial<ServiceOptions> = {}) {
  const subgraph = await buildSubgraph(parts);
  const { url, drop } = await createDatabase();
  const database = await openDatabase(url, [identityTables, webhookTables, mailTables, tables]);
  await migrate(database);
  const services = await openServices(database, {
    requireCredits: true,
    rateLimitPerMinute: 1_000_000,
    dashboardOrigins: [DASHBOARD],
    secretsKeys: ['the-key-of-the-tests-and-of-nothing-else'],
    ...options,
  });
  const source = inProcess(subgraph, scopeFactory(services));

  return {
    sdl: subgraph.sdl,
    source,
    services,
    url,
    /** Insert an organization with `seedOrganization`. */
    seed: (options = {}) => seedOrganization({ ...options, databaseUrl: url }),
    /** A GraphQL client with this key. */
    caller(key?: string, headers: Record<string, string> = {}) {
      const execute = (text: string, variables: Record<string, unknown>) =>
        source.execute({
          document: parse(text),
          text,
          variables,
          context: { headers: { ...(key && { 'x-api-key': key }), ...headers } },
        });
      return {
        /** Run an operation and return its data. Fails the test on errors. */
        async ask(text: string, variables: Record<string, unknown> = {}) {
          const { data, errors } = await execute(text, variables);
          if (errors) throw new Error(JSON.stringify(errors));
          // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
          return JSON.parse(JSON.stringify(data)) as any;
        },
        /** Run a subscription to its end, and return its events. */
        async follow(text: string, variables: Record<string, unknown> = {}) {
          const request = {
            document: parse(text),
            text,
            variables,
            context: { headers: { ...(key && { 'x-api-key': key }), ...headers } },
          };
          // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
          const events: any[] = [];
          const opened = await source.subscribe!(request);
          if (!(Symbol.asyncIterator in opened)) throw new Error(line(opened.errors![0]!));
          for await (const { data, errors } of opened) {
            if (errors) throw new Error(line(errors[0]!));
            events.push(JSON.parse(JSON.stringify(data)));
          }
          return events;
        },
        /** Run an operation and return code and message of its first error as one line. */
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
