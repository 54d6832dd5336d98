import { setTimeout as wait } from 'node:timers/promises';
import { bodyOf } from './load.ts';
import type { Line } from './report.ts';
import { each, interleave, type Pairs } from './rounds.ts';
import type { Bench, Note } from './system.ts';

/** A product job, and the same items for the plain loop. */
export interface Compared {
  /** Items per round. */
  count: number;
  /** Label of the items. */
  items: string;
  organization: string;
  /** Last part of the REST path that creates the job. */
  path: string;
  body: string | FormData;
  /** Work of the plain loop with its subjects. */
  kind: string;
  window: number;
  given: string[];
}

const STATE = `select status, success_count as done, error_summary as summary, extract(epoch from completed_at - created_at) * 1000 as ms
                 from catalog.jobs where id = $1`;

/** A process that does the same work. */
interface Rival {
  /** The script in `peers/`, and the path of the request that starts the work. */
  script: string;
  path: string;
  name: string;
}

const plainLoop: Rival = { script: 'jobs', path: '/run', name: 'plain loop' };

/** Items per second through the job engine, compared with another process with the same model calls and writes. */
export async function compareJob(
  bench: Bench,
  job: Compared,
  note: Note,
  rival = plainLoop,
): Promise<{ line: Line; perItem: Pairs }> {
  const { count, window } = job;
  const name = `${count.toLocaleString('en')} ${job.items}`;
  const pairs = await interleave(
    bench.rounds,
    () => runJob(bench, job),
    () => runRival(bench, job, rival),
    (text) => note(`${name}: ${text}`),
  );
  const perSecond = { ours: pairs.ours.map((ms) => (count * 1000) / ms), peer: pairs.peer.map((ms) => (count * 1000) / ms) };
  const perItem = { ours: pairs.ours.map((ms) => ms / count), peer: pairs.peer.map((ms) => ms / count) };
  const peer = `${rival.name}, window ${window}, same model calls and writes`;
  const values = each(perSecond, (ours, loop) => ours / loop);
  return { line: { name, peer, pairs: perSecond, unit: 'items/s', values }, perItem };
}

/** Duration of a job in milliseconds, by the database clock. */
export async function runJob(
  { url, key, pool }: Bench,
  { organization, path, body, count }: Pick<Compared, 'organization' | 'path' | 'body' | 'count'>,
): Promise<number> {
  const response = await fetch(`${url}/api/${organization}/${path}/create`, {
    method: 'POST',
    headers: { 'x-api-key': key, ...(typeof body === 'string' && { 'content-type': 'application/json' }) },
    body,
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`The job was not created: ${answer}`);
  const { jobId } = JSON.parse(answer).data;
  for (;;) {
    await wait(250);
    const { rows } = await pool.query(STATE, [jobId]);
    const { status, done, ms, summary } = rows[0];
    if (status === 'completed' && done === count) return Number(ms);
    if (status !== 'pending' && status !== 'processing')
      throw new Error(`The job ended as ${status} with ${done} of ${count} items done: ${summary}`);
  }
}

async function runRival({ peer, organizations }: Bench, { organization, kind, given }: Compared, { script, path, name }: Rival) {
  const response = await fetch((await peer(script)).url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ organizationId: organizations[organization]!.id, kind, given }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${name} failed: ${answer}`);
  return (JSON.parse(answer) as { ms: number }).ms;
}

/** The data of a GraphQL operation in an organization. Fails for errors. */
export async function graphql({ url, headers }: Bench, organization: string, query: string, variables: object = {}) {
  const body = JSON.stringify({ query, variables });
  const answer = JSON.parse(await bodyOf({ url: `${url}/graphql`, headers: { ...headers, 'x-organization': organization }, body }));
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return answer.data;
}

/** Waits until a job has completed. Fails if it ends otherwise. */
export async function jobEnded({ pool }: Bench, id: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('select status from catalog.jobs where id = $1', [id]);
    if (rows[0].status === 'completed') return;
    if (!['pending', 'processing'].includes(rows[0].status)) throw new Error(`The job has ended as ${rows[0].status}`);
    await wait(50);
  }
}
