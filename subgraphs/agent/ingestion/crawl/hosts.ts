import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';

/** Seconds after which the lease of a killed process expires; longer than a request may take. */
const LEASE = 30;
const MIN_WAIT = 50;
const MAX_WAIT = 5_000;

const CLAIM = `
  insert into agent.crawl_hosts (host, token, busy_until, free_at) values ($1, $2, now() + interval '${LEASE} seconds', now())
  on conflict (host) do update set token = excluded.token, busy_until = excluded.busy_until
   where crawl_hosts.busy_until <= now() and crawl_hosts.free_at <= now() returning token`;
const WAIT = `
  select busy_until > now() as busy, extract(epoch from greatest(least(busy_until, now() + interval '1 second'), free_at) - now()) * 1000 as wait
    from agent.crawl_hosts where host = $1`;
const RELEASE = `
  update agent.crawl_hosts set busy_until = now(), free_at = now() + make_interval(secs => $3::float8 / 1000)
   where host = $1 and token = $2`;

interface HostLease {
  /** Ends the lease. The host rests for `pauseMs` before anybody may claim it. */
  release(pauseMs: number): Promise<void>;
}

/** Leases a host to one request of one process, or returns the milliseconds after which to try again. */
async function claimHost(pool: Pool, host: string): Promise<HostLease | { waitMs: number; isBusy: boolean }> {
  const token = randomUUID();
  const { rowCount } = await pool.query(CLAIM, [host, token]);
  if (rowCount) {
    return {
      async release(pauseMs) {
        await pool.query(RELEASE, [host, token, pauseMs]);
      },
    };
  }
  const [state] = (await pool.query<{ busy: boolean; wait: string }>(WAIT, [host])).rows;
  const waitMs = Math.ceil(Math.min(Math.max(Number(state?.wait ?? 0), MIN_WAIT), MAX_WAIT));
  return { waitMs, isBusy: state?.busy ?? false };
}

/** Milliseconds of a rest that a step waits out. Longer waits are left to the workflow, so they occupy no worker. */
const PATIENCE = 2_000;

/**
 * Leases the host, after its rest if that is short. Otherwise, and while another request to the host runs, returns the milliseconds after
 * which to try again.
 */
export async function leaseHost(pool: Pool, host: string, signal?: AbortSignal): Promise<HostLease | { waitMs: number }> {
  const first = await claimHost(pool, host);
  if ('release' in first || first.isBusy || first.waitMs > PATIENCE) return first;
  await sleep(first.waitMs, undefined, { signal });
  return claimHost(pool, host);
}
