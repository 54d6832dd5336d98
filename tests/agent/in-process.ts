import type { EntityManager } from '@mikro-orm/postgresql';
import { agentTables } from '../../subgraphs/agent/tables.ts';
import { openDatabase } from '../../subgraphs/common/database/database.ts';
import { identityTables } from '../../subgraphs/common/identity/tables.ts';
import type { Scope } from '../../subgraphs/common/scope.ts';
import { openServices } from '../../subgraphs/common/services.ts';
import { webhookTables } from '../../subgraphs/common/webhooks/tables.ts';

// The timers of services that a failed test leaves open would fail the next test files.
const opened = new Set<() => Promise<void>>();
if (typeof afterAll === 'function') afterAll(() => Promise.all([...opened].map((close) => close())));

/** The services of the agent subgraph in this process, by default on the database of the system. They may reach receivers of the test. */
export async function openInProcess(url = process.env.TEST_DATABASE_URL!) {
  const database = await openDatabase(url, [identityTables, webhookTables, agentTables], {
    connections: 5,
  });
  const services = await openServices(database, {
    requireCredits: true,
    rateLimitPerMinute: 1_000_000,
    secretsKeys: ['the-key-of-the-tests-and-of-nothing-else'],
    allowHosts: ['127.0.0.1'],
  });
  const close = async () => {
    if (opened.delete(close)) await services.close();
  };
  opened.add(close);
  return {
    services,
    scopeOf(organizationId: string): Scope {
      const em = services.orm.em.fork() as EntityManager;
      em.setFilterParams('organization', { id: organizationId });
      return { em, organizationId, services };
    },
    close,
  };
}
