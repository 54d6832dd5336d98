import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type OutboundResponse, retryAfterOf } from '../../../../platform/outbound/index.ts';

/** A request of a source to a host. */
export interface HostRequest {
  host: string;
  sourceId: string;
  /** Milliseconds that the host rests after each request. */
  pauseMs: number;
}

export interface HostLease {
  /** Makes the request and ends the lease. The host rests for the pause, or as long as its response asks. */
  request(send: () => Promise<OutboundResponse>): Promise<OutboundResponse>;
}

/** Seconds after which the lease, or the place in the queue, of a killed process expires; longer than a request or a wait may take. */
const LEASE = 30;
/** Seconds after the rest in which a source asks for its next turn. Until then it keeps its place. */
const RETURN = 2;
const [MIN_WAIT, MAX_WAIT] = [50, 5_000];
/** Milliseconds after which to look again at a host that answers a request of another source. */
const BUSY_WAIT = 500;
/** Rests of a host that answers 429 or 503. */
const LONGEST_REST = 60_000;

const ASK = `
  insert into agent.crawl_turns (source_id, organization_id, host, turn_at, wanted_until)
  select id, organization_id, $1, '-infinity', now() + interval '${LEASE} seconds' from agent.sources where id = $2
  on conflict (source_id) do update set host = excluded.host, wanted_until = excluded.wanted_until`;
/**
 * The sources that wait for a host, in order: first the organization, then its source, whose last turn is the longest ago. A turn counts
 * from the time at which the source has waited as long as it held the host, with the rest that the host needed. So slow pages and refusals
 * cost the others at most half of the time.
 */
const WAITING = `
  select source_id, row_number() over (order by last_turn_at, turn_at, source_id) - 1 as ahead
    from (select *, max(turn_at) over (partition by organization_id) as last_turn_at from agent.crawl_turns where host = $1) turns
   where wanted_until > now()`;
const CLAIM = `
  with claimed as (
    insert into agent.crawl_hosts (host, token, busy_until, free_at)
    select $1, $3, now() + interval '${LEASE} seconds', now() from (${WAITING}) waiting where source_id = $2 and ahead = 0
    on conflict (host) do update set token = excluded.token, busy_until = excluded.busy_until
     where crawl_hosts.busy_until <= now() and crawl_hosts.free_at <= now() returning host)
  update agent.crawl_turns set turn_at = now() + interval '${LEASE} seconds', wanted_until = now()
    from claimed where source_id = $2`;
const STATE = `
  select coalesce(h.busy_until > now(), false) as "isBusy", ahead::int,
         coalesce(greatest(extract(epoch from h.free_at - now()), 0), 0)::float8 * 1000 as "restMs"
    from (${WAITING}) waiting left join agent.crawl_hosts h on h.host = $1 where source_id = $2`;
const RELEASE = `
  with released as (
    update agent.crawl_hosts set busy_until = now(), free_at = now() + make_interval(secs => $4::float8 / 1000)
     where host = $1 and token = $3 returning host)
  update agent.crawl_turns
     set turn_at = now() + make_interval(secs => $5::float8 / 1000), wanted_until = now() + make_interval(secs => $4::float8 / 1000 + ${RETURN})
    from released where source_id = $2`;

interface Waiting {
  isBusy: boolean;
  /** Sources that are before this one. */
  ahead: number;
  restMs: number;
}

/** Leases a host to one request of one source, if it is the turn of the source. */
async function claimHost(pool: Pool, { host, sourceId, pauseMs }: HostRequest): Promise<HostLease | Waiting> {
  const token = randomUUID();
  await pool.query(ASK, [host, sourceId]);
  const { rowCount } = await pool.query(CLAIM, [host, sourceId, token]);
  if (rowCount) {
    const claimedAt = performance.now();
    return {
      async request(send) {
        let restMs = pauseMs;
        try {
          const response = await send();
          restMs = Math.max(pauseMs, restAfter(response));
          return response;
        } finally {
          const heldMs = performance.now() - claimedAt + restMs;
          await pool.query(RELEASE, [host, sourceId, token, restMs, restMs + heldMs]);
        }
      },
    };
  }
  const [state] = (await pool.query<Waiting>(STATE, [host, sourceId])).rows;
  return state ?? { isBusy: false, ahead: 0, restMs: 0 };
}

/** Milliseconds of a rest that a step waits out. Longer waits are left to the workflow, so they occupy no worker. */
const PATIENCE = 2_000;

/**
 * Leases the host, after its rest if that is short. Otherwise, and while it is the turn of another source, returns the milliseconds after
 * which to try again.
 */
export async function leaseHost(pool: Pool, request: HostRequest, signal?: AbortSignal): Promise<HostLease | { waitMs: number }> {
  const first = await claimHost(pool, request);
  if ('request' in first) return first;
  const { isBusy, ahead, restMs } = first;
  if (isBusy || ahead > 0 || restMs > PATIENCE) return { waitMs: waitOf(first, request) };
  await sleep(Math.max(restMs, MIN_WAIT), undefined, { signal });
  const second = await claimHost(pool, request);
  return 'request' in second ? second : { waitMs: waitOf(second, request) };
}

function waitOf({ isBusy, ahead, restMs }: Waiting, { pauseMs }: HostRequest): number {
  const first = isBusy ? Math.max(BUSY_WAIT, pauseMs) : restMs;
  return Math.ceil(Math.min(Math.max(first + ahead * pauseMs, MIN_WAIT), MAX_WAIT));
}

/** Milliseconds that a host wants to rest after this response, up to a minute; 0 unless it is overloaded. */
function restAfter({ status, headers }: Pick<OutboundResponse, 'status' | 'headers'>): number {
  if (status !== 429 && status !== 503) return 0;
  return Math.min((retryAfterOf(headers['retry-after']) ?? 1) * 1_000, LONGEST_REST);
}
