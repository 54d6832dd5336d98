import { randomBytes } from 'node:crypto';
import { wrap } from '@mikro-orm/postgresql';
import type { RawBuilder } from 'kysely';
import { canonicalId, clock, findById, isId, lockName, query, readById, readRows, sql } from '../../../platform/database/index.ts';
import { columnReader } from '../../../platform/lists/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { isThisMachine } from '../../../schema/request.ts';
import { slugOf } from '../../../schema/text.ts';
import { patternFault } from '../catalog/product-page.ts';
import { CustomForm } from '../forms/entity.ts';
import { McpServer } from '../mcp-servers/entity.ts';
import { withDefaults } from '../null-defaults.ts';
import { endRuns } from '../test-runs/early-end.ts';
import { Tool } from '../tools/entity.ts';
import { Agent, type AgentChange, type NewAgent } from './entity.ts';
import { hoursFault, type OfficeHours } from './office-hours.ts';
import { removeAgent } from './removal.ts';

const MAX_AGENTS = 1_000;

const LIST_COLUMNS = [
  'id',
  'organizationId',
  'name',
  'slug',
  'publicSlug',
  'modelType',
  'welcomeMessage',
  'placeholder',
  'suggestedMessages',
  'temperature',
  'theme',
  'branding',
  'allowedOrigins',
  'maxTokensPerMessage',
  'maxRetrievalTokens',
  'publicAccess',
  'voiceEnabled',
  'dailyCreditLimit',
  'retentionDays',
  'officeHours',
  'identityKeysUrl',
  'requireApprovals',
  'catalogAccess',
  'catalogAttributes',
  'productPage',
  'productPictures',
  'createdAt',
  'updatedAt',
] as const;
const SUMMARY_COLUMNS = ['id', 'name', 'publicSlug'] as const;
const ID_COLUMN = ['id'] as const;
const DRAFT_COLUMNS = ['id', 'draftOf'] as const;

/** All agents but drafts, sorted by name, as plain rows without their prompts. */
export const listAgents = (scope: Scope) => rows(scope, LIST_COLUMNS);

/** The public part of all agents but drafts, sorted by name. */
export const listSummaries = (scope: Scope) => rows(scope, SUMMARY_COLUMNS);

const rows = (scope: Scope, columns: readonly (keyof Agent)[]) =>
  readRows(
    scope,
    Agent,
    { columns, where: { draftOf: null }, orderBy: { name: 'asc', id: 'asc' } },
    { limit: MAX_AGENTS, offset: 0 },
  );

export const systemPromptOf = columnReader(Agent, 'systemPrompt');

/** The public part of an agent. Batches the agents of a list into one query. Throws `NOT_FOUND`. */
export async function summaryOf(scope: RequestScope, agentId: string): Promise<Agent> {
  const read = scope.batch('summaries of agents', async (ids) => {
    const found = await readRows(scope, Agent, { columns: SUMMARY_COLUMNS, where: { id: ids } });
    return new Map(found.map((each) => [each.id, each]));
  });
  return (await read(agentId)) ?? notFound();
}

/** Throws `NOT_FOUND`. */
export const findAgent = ({ em }: Scope, id: string): Promise<Agent> => findById(em, Agent, id, 'Agent');

/** Throws `NOT_FOUND` unless the organization has the agent. */
export async function requireAgent(scope: Scope, id: string): Promise<void> {
  await readById(scope, Agent, id, 'Agent', { columns: ID_COLUMN });
}

/** Throws `CONFLICT` if the requested slug is taken. A slug derived from the name gets a numeric suffix instead. */
export function createAgent(scope: Scope, { slug, ...input }: NewAgent): Promise<Agent> {
  const settings = readSettings(input);
  return transaction(scope, async ({ em, organizationId }) => {
    const taken = await takenSlugs(em, organizationId);
    if (taken.size >= MAX_AGENTS) throw fail('UNPROCESSABLE', 'An organization has at most 1,000 agents.');
    if (slug && taken.has(slug)) throw fail('CONFLICT', `An agent with the slug ${slug} already exists.`);
    // Leave room for a numeric suffix.
    const own = slug ?? availableSlug(slugOf(input.name, 56) || 'agent', taken);
    return em.create(Agent, { ...settings, name: input.name, organizationId, slug: own, publicSlug: publicSlugOf(own) });
  });
}

/** The lock serializes creation per organization, so the slugs and the count stay valid until the commit. */
async function takenSlugs(em: Scope['em'], organizationId: string): Promise<Set<string>> {
  await lockName(em, `agents of ${organizationId}`);
  const found = await query(
    em,
    sql<{
      slug: string;
    }>`select slug from agent.agents where organization_id = ${organizationId} and draft_of is null and deleted_at is null`,
  );
  return new Set(found.map(({ slug }) => slug));
}

export async function updateAgent(scope: Scope, id: string, input: AgentChange): Promise<Agent> {
  const settings = readSettings(input);
  const agent = await findAgent(scope, id);
  wrap(agent).assign({ ...settings, updatedAt: clock.now() });
  await scope.em.flush();
  return agent;
}

/** Set the office hours of an agent; null means always open. Throws `UNPROCESSABLE` for a draft, to which no visitor talks. */
export async function setOfficeHours(scope: Scope, id: string, hours: OfficeHours | null): Promise<Agent> {
  const fault = hours && hoursFault(hours);
  if (fault) refuse(fault);
  const agent = await findAgent(scope, id);
  if (agent.draftOf !== null) throw fail('UNPROCESSABLE', 'A draft has no visitors, so it has no office hours.');
  agent.officeHours = hours;
  await scope.em.flush();
  return agent;
}

/** Keeps an agent until the commit. Take it before the locks of its rows. Throws `NOT_FOUND` if it was deleted meanwhile. */
export const holdAgent = (scope: Scope, id: string): Promise<void> => lockRow(scope, id, sql`for key share`);

/**
 * Makes changes of the tools, servers and forms of an agent wait for each other and for a publication, until the commit. Take it before the
 * locks of these rows, because their triggers take it too. Throws `NOT_FOUND` if the agent was deleted meanwhile.
 */
export const lockAgent = (scope: Scope, id: string): Promise<void> => lockRow(scope, id, sql`for no key update`);

async function lockRow({ em, organizationId }: Scope, id: string, strength: RawBuilder<unknown>): Promise<void> {
  const locked = await query(em, sql`select from agent.agents a where ${isPresent(id, organizationId)} ${strength}`);
  if (locked.length === 0) notFound();
}

/** The agent's id. Throws `NOT_FOUND`, and `UNPROCESSABLE` for a draft, which uses the sources and signing secrets of its agent. */
export async function requirePublished(scope: Scope, given: string): Promise<string> {
  const { id, draftOf } = await readById(scope, Agent, given, 'Agent', { columns: DRAFT_COLUMNS });
  if (draftOf !== null) throw fail('UNPROCESSABLE', 'A draft uses the sources and signing secrets of its agent.');
  return id;
}

/** Makes additions of sources wait for each other until the commit, so that their number stays valid. */
export const lockSources = ({ em }: Scope, id: string): Promise<void> => lockName(em, `sources of ${id}`);

/** Whether the agent `a` is this one and not deleted. */
export const isPresent = (id: string, organizationId: string) =>
  sql`a.id = ${id} and a.organization_id = ${organizationId} and a.deleted_at is null`;

/** Deletes an agent with all of its data, and its draft. Throws `NOT_FOUND`. */
export async function deleteAgent(scope: Scope, id: string) {
  const deleted = isId(id) ? await transaction(scope, (inner) => markWithDraft(inner, id)) : [];
  if (deleted.length === 0) notFound();
  for (const each of deleted) await removeAgent(scope.services, { id: each, organizationId: scope.organizationId });
  return { id: canonicalId(id), deleted: true };
}

/** The ids of the agents that it has marked. No draft and no test run begins once the agent is marked. */
async function markWithDraft(scope: Scope, id: string): Promise<string[]> {
  if (!(await markDeleted(scope, id))) return [];
  const [draft] = await query(
    scope.em,
    sql<{ id: string }>`select id from agent.agents
       where draft_of = ${id} and organization_id = ${scope.organizationId} and deleted_at is null`,
  );
  const marked = draft && (await markDeleted(scope, draft.id)) ? [id, draft.id] : [id];
  const refund = await endRuns(scope, { agentId: id }, { status: 'stopped' });
  await refund();
  return marked;
}

/**
 * Hides an agent in the transaction of the scope, and deletes its rows that others list without it. No conversation begins after the commit,
 * and nothing is added. Returns false if the agent is unknown or deleted.
 */
export async function markDeleted(scope: Scope, id: string): Promise<boolean> {
  const { em, organizationId } = scope;
  // The first statement, so that the deletions find all additions: it waits for `holdAgent`, because the slug is a key. Other slugs have no space.
  const marked = await query(
    em,
    sql`update agent.agents a set deleted_at = now(), slug = 'deleted ' || id where ${isPresent(id, organizationId)} returning 1`,
  );
  if (marked.length === 0) return false;
  await stopIngestions(scope, id);
  // Servers before their tools, as a change of a server locks them.
  await em.nativeDelete(McpServer, { agentId: id });
  await em.nativeDelete(Tool, { agentId: id });
  await em.nativeDelete(CustomForm, { agentId: id });
  return true;
}

/** Stops the ingestion of the sources that are deleted with their agent. */
async function stopIngestions({ em, organizationId }: Scope, agentId: string): Promise<void> {
  await query(
    em,
    sql`insert into identity.outbox (topic, payload)
        select 'source.stop', jsonb_build_object('sourceId', id, 'organizationId', organization_id) from agent.sources
         where agent_id = ${agentId} and organization_id = ${organizationId} and status not in ('ready', 'failed')`,
  );
}

export function notFound(): never {
  throw fail('NOT_FOUND', 'Agent not found');
}

/** Replaces each null by its default. Throws `INVALID_INPUT` for faults that types and declared limits do not catch. */
function readSettings({ name, ...settings }: AgentChange): Partial<Agent> {
  if (name === null) refuse('name must not be null');
  for (const [index, origin] of (settings.allowedOrigins ?? []).entries()) {
    if (!isOrigin(origin)) refuse(`allowedOrigins[${index}] must be an origin such as https://shop.example.com`);
  }
  if (settings.identityKeysUrl && !isSafeAddress(settings.identityKeysUrl))
    refuse('identityKeysUrl must be an https URL, or http on this machine');
  const pageFault = settings.productPage ? patternFault(settings.productPage) : undefined;
  if (pageFault) refuse(`productPage ${pageFault}`);
  for (const key of ['theme', 'branding'] as const) {
    if (JSON.stringify(settings[key] ?? {}).length > 20_000) refuse(`${key} must be at most 20000 characters of JSON`);
  }
  if (settings.productPage === '') settings.productPage = null;
  return withDefaults({ name, ...settings }, new Agent());
}

/** Over plain HTTP, somebody on the way could exchange the keys. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url));
}

/** Browsers send origins in this normalized form, and origins are compared as text. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

function refuse(fault: string): never {
  throw fail('INVALID_INPUT', fault);
}

/** The slug itself, or the first of `slug-2`, `slug-3`, … that is not taken. */
function availableSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  let number = 2;
  while (taken.has(`${slug}-${number}`)) number += 1;
  return `${slug}-${number}`;
}

/** The slug identifies the agent in an embed snippet; 64 random bits make the result unique and hard to guess. */
const publicSlugOf = (slug: string) => `${slug}-${randomBytes(8).toString('hex')}`;
