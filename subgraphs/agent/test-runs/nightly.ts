import { GraphQLError } from 'graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { ofPresentAgent } from '../agents/entity.ts';
import { insertRun } from './service.ts';

/** Sets that one call starts. The rest waits for the next call. */
const LIMIT = 50;
const REPEATS = 3;
const DUE = `select id, organization_id as "organizationId" from agent.test_sets s
              where next_run_at <= now() and ${ofPresentAgent('s')} order by next_run_at limit ${LIMIT}`;

/** Starts the nightly runs that are due. Any number of processes may call it. */
export async function startNightlyRuns(services: Services): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; organizationId: string }>(DUE);
  for (const { id, organizationId } of rows) {
    const scope = detached({ services, organizationId });
    const start = (inner: Scope) =>
      insertRun(inner, id, { target: 'published', repeats: REPEATS, trigger: 'schedule', authorName: null });
    await transaction(scope, async (inner) => void ((await claim(inner, id)) && (await start(inner)))).catch(
      async (err: unknown) => {
        log.warn({ err, testSetId: id }, 'Failed to start a nightly test run; it starts again in the next night');
        // A set without cases, or one that is running, waits for its next night. Other errors are tried again.
        if (err instanceof GraphQLError) await transaction(scope, (inner) => claim(inner, id));
      },
    );
  }
}

/** Moves a set that is due to its next night. Returns false if another process has done so. */
async function claim({ em, organizationId }: Scope, id: string): Promise<boolean> {
  const claimed = await query(
    em,
    sql`update agent.test_sets set next_run_at = next_run_at + interval '1 day' * (1 + floor(extract(epoch from now() - next_run_at) / 86400))
         where id = ${id} and organization_id = ${organizationId} and next_run_at <= now() returning 1`,
  );
  return claimed.length > 0;
}
