import { GraphQLError } from 'graphql';
import { clock, query, sql } from '../../../platform/database/index.ts';
import { detached, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import { ofPresentAgent } from '../agents/entity.ts';
import { nightAfterRun } from '../testing/service.ts';
import { insertRun } from './service.ts';

/** Sets that one call starts. The rest waits for the next call. */
const LIMIT = 50;
const REPEATS = 3;
/** A run ends before it costs more credits. */
const CREDIT_LIMIT = 1_000;
const ORDER = { target: 'published', repeats: REPEATS, creditLimit: CREDIT_LIMIT } as const;
/** Organizations take turns, so that none has to wait for all sets of another one. */
const DUE = `
  select id, organization_id as "organizationId", next_run_at as due from (
    select id, organization_id, next_run_at, row_number() over (partition by organization_id order by next_run_at, id) as turn
      from agent.test_sets s where next_run_at <= now() and ${ofPresentAgent('s')}) due
   order by turn, next_run_at, id limit ${LIMIT}`;

/** Minutes after which a set runs that could not start: because of a fault, or because others run. */
const [AFTER_FAULT, AFTER_OTHERS] = [60, 5];

/** Starts the nightly runs that are due. Any number of processes may call it. */
export async function startNightlyRuns(services: Services): Promise<void> {
  const { rows } = await services.pool.query<{ id: string; organizationId: string; due: Date }>(DUE);
  for (const { id, organizationId, due } of rows) {
    const scope = detached({ services, organizationId });
    const start = (inner: Scope) => insertRun(inner, id, { ...ORDER, trigger: 'schedule', authorName: null });
    try {
      await transaction(scope, async (inner) => void ((await claim(inner, id, nightAfterRun(due))) && (await start(inner))));
    } catch (err) {
      const next = timeAfter(err, due);
      if (err instanceof GraphQLError) log.info({ reason: err.message, testSetId: id, next }, 'Postponed a nightly test run');
      else log.warn({ err, testSetId: id, next }, 'Failed to start a nightly test run');
      await transaction(detached({ services, organizationId }), (inner) => claim(inner, id, next)).catch((cause: unknown) =>
        log.error({ err: cause, testSetId: id }, 'Failed to postpone a nightly test run'),
      );
    }
  }
}

/** A set that is running, or for which there is no room, starts soon; one without cases in the next night. */
function timeAfter(error: unknown, due: Date): Date {
  const inMinutes = (minutes: number) => new Date(clock.ms() + minutes * 60_000);
  if (!(error instanceof GraphQLError)) return inMinutes(AFTER_FAULT);
  return ['LIMIT_REACHED', 'CONFLICT'].includes(String(error.extensions.code)) ? inMinutes(AFTER_OTHERS) : nightAfterRun(due);
}

/** Moves a set that is due to its next time. Returns false if another process has done so. */
async function claim({ em, organizationId }: Scope, id: string, next: Date): Promise<boolean> {
  const claimed = await query(
    em,
    sql`update agent.test_sets set next_run_at = ${next}
         where id = ${id} and organization_id = ${organizationId} and next_run_at <= now() returning 1`,
  );
  return claimed.length > 0;
}
