import type { EntityManager } from '@mikro-orm/postgresql';
import { openDatabase } from '../../platform/database/database.ts';
import { identityTables } from '../../platform/identity/tables.ts';
import { mailTables } from '../../platform/mail/tables.ts';
import type { Scope } from '../../platform/scope/index.ts';
import { openServices } from '../../platform/subgraph/services.ts';
import { webhookTables } from '../../platform/webhooks/tables.ts';
import { agentTables } from '../../subgraphs/agent/tables.ts';

// The timers of services that a failed test leaves open would fail the next test files.
const opened = new Set<() => Promise<void>>();
if (typeof afterAll === 'function') afterAll(() => Promise.all([...opened].map((close) => close())));

/** The services of the agent subgraph in this process, by default on the database of the system. They may reach receivers of the test. */
export async function openInProcess(url = process.env.TEST_DATABASE_URL!) {
  const database = await openDatabase(url, [identityTables, webhookTables, mailTables, agentTables], {
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
