import type { EntityManager } from '@mikro-orm/postgresql';
import { tables } from '../../start/graph.ts';
import { openDatabase } from '../../subgraphs/common/database.ts';
import type { Scope } from '../../subgraphs/common/scope.ts';
import { openServices } from '../../subgraphs/common/services.ts';

/** The services of the system in this process, on its database, which may reach receivers of the test. */
export async function openInProcess() {
  const database = await openDatabase(process.env.TEST_DATABASE_URL!, tables, { connections: 5 });
  const services = await openServices(database, {
    requireCredits: true,
    rateLimitPerMinute: 1_000_000,
    secretsKeys: ['the-key-of-the-tests-and-of-nothing-else'],
    allowHosts: ['127.0.0.1'],
  });
  return {
    services,
    scopeOf(organizationId: string): Scope {
      const em = services.orm.em.fork() as EntityManager;
      em.setFilterParams('organization', { id: organizationId });
      return { em, organizationId, services };
    },
    close: () => services.close(),
  };
}
