import { findById, isId, lockName, query, readRows, sql } from '../../../platform/database/index.ts';
import { columnReader, listPage } from '../../../platform/lists/index.ts';
import { post } from '../../../platform/queues/index.ts';
import { fresh, type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { ofPresentAgent } from '../agents/present.ts';
import { findAgent, holdAgent } from '../agents/service.ts';
import { appendChange } from './changes.ts';
import { checkContent, requireUrl } from './content.ts';
import { Source } from './entity.ts';
import { SourcePage } from './page-entity.ts';
import { removeSource } from './removal.ts';
import type { NewSource, SourceChange, SourcePagesArguments } from './types.ts';

export const MAX_SOURCES = 200;

/** The sources of an agent without their content, newest first. */
export async function listSources(scope: Scope, agentId: string): Promise<Source[]> {
  const { id } = await findAgent(scope, agentId);
  const rows = { where: { agentId: id }, orderBy: { createdAt: 'desc', id: 'desc' } } as const;
  return readRows(scope, Source, rows, { limit: MAX_SOURCES, offset: 0 });
}

/** Throws `NOT_FOUND`, also when `agentId` is another agent than that of the source, or while its agent is removed. */
export async function findSource(scope: Scope, id: string, agentId?: string): Promise<Source> {
  const [source] = isId(id)
    ? await readRows(scope, Source, { where: { id }, matching: () => ofPresentAgent('r'), isPrepared: true })
    : [];
  if (!source || (agentId !== undefined && source.agentId !== agentId.toLowerCase())) return notFound();
  return source;
}

/** Creates a source and queues its ingestion. */
export async function createSource(scope: RequestScope, agentId: string, input: NewSource): Promise<Source> {
  const agent = await findAgent(scope, agentId);
  // Fails before the DNS lookup. The transaction repeats the check, because only its lock keeps the count valid.
  await requireRoom(scope, agent.id);
  await checkContent(scope, input);
  return scope.write(async (inner) => {
    const { em, organizationId } = inner;
    await holdAgent(inner, agent.id);
    await lockName(em, `sources of ${agent.id}`);
    await requireRoom(inner, agent.id);
    const { type, name, url = null, text = null, qa = null, refreshInterval } = input;
    const source = em.create(Source, {
      ...{ organizationId, agentId: agent.id, type, name, url: url && new URL(url).href, text },
      qa: qa?.map(({ question, answer }) => ({ question, answer })) ?? null,
      refreshInterval: refreshInterval ?? 'never',
      sequence: 1,
    });
    await em.flush();
    await appendChange(em, source.id);
    await post(inner, 'source.start', { sourceId: source.id, organizationId });
    return source;
  });
}

async function requireRoom({ em }: Scope, agentId: string): Promise<void> {
  if ((await em.count(Source, { agentId })) >= MAX_SOURCES)
    throw fail('UNPROCESSABLE', `An agent has at most ${MAX_SOURCES} sources.`);
}

/** Changes the given fields. Throws `NOT_FOUND`. */
export async function updateSource(scope: Scope, id: string, { name, refreshInterval }: SourceChange): Promise<Source> {
  const { em } = scope;
  const source = await findById(em, Source, id, 'Source');
  if (refreshInterval && source.type !== 'url') requireUrl();
  if (name !== undefined) source.name = name;
  if (refreshInterval !== undefined) source.refreshInterval = refreshInterval;
  await em.flush();
  if (refreshInterval !== undefined) await query(em, sql`update agent.sources set ${scheduleNext} where id = ${id}`);
  return findSource(scope, id);
}

/** SQL that sets the time of the next refresh from the interval and the time of the last one. */
export const scheduleNext = sql`next_refresh_at = coalesce(last_indexed_at, now()) +
  case refresh_interval when 'daily' then interval '1 day' when 'weekly' then interval '7 days' end`;

/** Queues the ingestion of a source again. Throws `UNPROCESSABLE` while it runs. */
export async function refreshSource(scope: Scope, given: string): Promise<Source> {
  const { id, agentId } = await findSource(scope, given);
  await transaction(scope, async (inner) => {
    const { em, organizationId } = inner;
    await holdAgent(inner, agentId);
    const queued = await query(
      em,
      sql`update agent.sources set status = 'queued', queued_at = now(), error = null, sequence = sequence + 1, updated_at = now()
           where id = ${id} and organization_id = ${organizationId} and status in ('ready', 'failed') returning id`,
    );
    if (queued.length === 0) throw fail('UNPROCESSABLE', 'Source cannot be refreshed while it is being indexed');
    await appendChange(em, id);
    await post(inner, 'source.start', { sourceId: id, organizationId });
  });
  return findSource(fresh(scope), id);
}

/** Deletes a source with its content and stops its ingestion. Throws `NOT_FOUND`. */
export async function deleteSource(scope: Scope, id: string, agentId?: string) {
  const source = await findSource(scope, id, agentId);
  await transaction(scope, async (inner) => {
    if (!(await removeSource(inner, source.id))) notFound();
    await post(inner, 'source.stop', { sourceId: source.id, organizationId: inner.organizationId });
  });
  return { id: source.id, deleted: true };
}

/** The pages of a source, in the order in which they were found. */
export async function listPages(scope: Scope, { sourceId, status, ...page }: SourcePagesArguments) {
  const { id } = await findSource(scope, sourceId);
  const where = { sourceId: id, ...(status && { status }) };
  return listPage(scope, SourcePage, { where, orderBy: { ordinal: 'asc' } }, page);
}

export const textOf = columnReader(Source, 'text');
export const questionsOf = columnReader(Source, 'qa');

function notFound(): never {
  throw fail('NOT_FOUND', 'Source not found');
}
