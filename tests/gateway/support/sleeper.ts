import { parse } from 'graphql';
import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { createGateway } from '../../../gateway/compiled-gateway.ts';
import { httpSource } from '../../../gateway/sources/http-source.ts';
import { migrate, openDatabase, query, sql } from '../../../platform/database/database.ts';
import { readRows } from '../../../platform/database/rows.ts';
import { Organization } from '../../../platform/identity/entity.ts';
import { identityTables } from '../../../platform/identity/tables.ts';
import { type RequestScope, scopeFactory } from '../../../platform/scope/index.ts';
import { buildSubgraph, inProcess, type SubgraphParts } from '../../../platform/subgraph/build-subgraph.ts';
import { openServices } from '../../../platform/subgraph/services.ts';
import { createSubgraphServer } from '../../../platform/subgraph/subgraph-server.ts';
import { createDatabase } from '../../support/database.ts';
import { database, seedOrganization } from '../../support/seed.ts';
import { sleepers } from '../../support/sleepers.ts';
import { until } from '../../support/until.ts';
import { compose } from './federation.ts';

/** Longer than every test timeout. */
const forever = 'pg_sleep(3600)::text';

@Resolver()
class Sleeper {
  @Query(() => Boolean)
  async readsRows(@Ctx() scope: RequestScope): Promise<boolean> {
    await readRows(scope, Organization, { matching: () => `${forever} = ''` });
    return true;
  }

  @Query(() => Boolean)
  async asksMapper(@Ctx() { em }: RequestScope): Promise<boolean> {
    await query(em, sql`select ${sql.raw(forever)}`);
    return true;
  }

  @Mutation(() => Boolean)
  changes(@Ctx() scope: RequestScope): Promise<boolean> {
    return scope.write(async ({ em, organizationId }) => {
      await query(em, sql`update identity.organizations set credits = 1 where id = ${organizationId}`);
      await query(em, sql`select ${sql.raw(forever)}`);
      return true;
    });
  }
}

const parts: SubgraphParts = { name: 'sleeper', resolvers: [Sleeper], references: {} };

/** A gateway for a subgraph with statements that run for an hour, on a separate database. */
export async function openSleeper(where: 'in process' | 'over HTTP') {
  const { url, drop } = await createDatabase();
  const opened = await openDatabase(url, [identityTables]);
  await migrate(opened);
  const services = await openServices(opened, { requireCredits: true, rateLimitPerMinute: 1_000_000 });
  const scopeOf = scopeFactory(services);
  const subgraph = await buildSubgraph(parts);
  const server = await createSubgraphServer({ subgraph, scopeOf, secret: 'secret', checks: {} });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const source =
    where === 'in process' ? inProcess(subgraph, scopeOf) : httpSource({ url: `${address}/graphql`, secret: 'secret' });

  const supergraph = compose([{ name: parts.name, typeDefs: parse(subgraph.sdl) }]);
  const faults: unknown[] = [];
  const onFault = (_: string, error: unknown) => faults.push(error);
  const gateway = createGateway({ supergraph, sources: { sleeper: source }, onFault });
  const { id, slug, key } = await seedOrganization({ databaseUrl: url, credits: 7 });
  const rows = (text: string) =>
    database(url)
      .query(text)
      .then((result) => result.rows);
  const asleep = () => sleepers(database(url));
  return {
    gateway,
    slug,
    key,
    /** Errors that the gateway would log. */
    faults,
    /** Wait until a statement sleeps in the database. */
    asleep: () => until(async () => (await asleep()) === 1),
    /** Wait until no statement sleeps and all connections are in the pool. */
    over: () => until(async () => (await asleep()) === 0 && services.pool.totalCount === services.pool.idleCount),
    credits: async () => Number((await rows(`select credits from identity.organizations where id = '${id}'`))[0].credits),
    async close() {
      await gateway.close();
      await server.close();
      await services.close();
      await drop();
    },
  };
}
