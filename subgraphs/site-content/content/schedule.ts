import type { EntityClass } from '@mikro-orm/postgresql';
import { clock } from '../../../platform/database/index.ts';
import { detached, lockContent, type Scope, transaction } from '../../../platform/scope/index.ts';
import type { Services } from '../../../platform/subgraph/index.ts';
import { log } from '../../../platform/telemetry/index.ts';
import type { EnumValue } from '../../../schema/enums.ts';
import { Post } from '../blog/entity.ts';
import { eventsOf as postEvents } from '../blog/posts.ts';
import { CollectionItem } from '../collections/entity.ts';
import { eventsOf as itemEvents } from '../collections/items.ts';
import { Page } from '../pages/entity.ts';
import { eventOf as pageEvent } from '../pages/service.ts';
import { Site } from '../sites/entity.ts';
import { emitEvent } from './edit.ts';
import type { PublishableRecord } from './entity.ts';
import { publish } from './publishing.ts';

/** Records that one transaction publishes. An item may have 8 MB, so few of them fit the memory. */
const BATCH = 10;
/** Organizations of one sweep; the next sweep continues. */
const MAX_ORGANIZATIONS = 1_000;
/** Milliseconds in which a sweep starts rounds. The next sweep, a minute later, also sees organizations that wait since. */
const ROUNDS_MS = 50_000;

interface Kind<T extends PublishableRecord> {
  entity: EntityClass<T>;
  event: EnumValue<'SiteEvent'>;
  eventsOf: (scope: Scope, records: T[]) => Promise<object[]>;
}

const kindOf = <T extends PublishableRecord>(kind: Kind<T>) => kind as unknown as Kind<PublishableRecord>;
const KINDS = [
  kindOf({ entity: Page, event: 'page.updated', eventsOf: async (_, pages) => pages.map(pageEvent) }),
  kindOf({ entity: CollectionItem, event: 'collection.item.updated', eventsOf: itemEvents }),
  kindOf({ entity: Post, event: 'blog.post.published', eventsOf: postEvents }),
];

const WAITING = `
  select organization_id as id, min(publish_at) as due from (
    select organization_id, publish_at from site_content.pages where status = 'scheduled' and publish_at <= now()
    union all select organization_id, publish_at from site_content.items where status = 'scheduled' and publish_at <= now()
    union all select organization_id, publish_at from site_content.posts where status = 'scheduled' and publish_at <= now()) waiting
   group by 1 order by due limit ${MAX_ORGANIZATIONS}`;

interface WaitingOrganization {
  organizationId: string;
  /** The kinds with more records than the organization published in its last batch. */
  kinds: readonly Kind<PublishableRecord>[];
}

/**
 * Publish the scheduled content whose time has come, and emit its events. Safe to run in several processes concurrently. The organizations
 * take turns, a batch of each kind at a time, and a failing one does not stop the others. Returns the number of published records.
 */
export async function publishDue(services: Services): Promise<number> {
  const { rows } = await services.pool.query<{ id: string }>(WAITING);
  const end = clock.ms() + ROUNDS_MS;
  let published = 0;
  let organizations = rows.map(({ id: organizationId }): WaitingOrganization => ({ organizationId, kinds: KINDS }));
  while (organizations.length > 0 && clock.ms() < end) {
    const unfinished: WaitingOrganization[] = [];
    for (const each of organizations) {
      const { count, kinds } = await publishNext(services, each);
      published += count;
      if (kinds.length > 0) unfinished.push({ ...each, kinds });
    }
    organizations = unfinished;
  }
  return published;
}

/** Publishes a batch of each kind. Returns the number of records, and the kinds that may have more: none after a failure. */
async function publishNext(services: Services, { organizationId, kinds }: WaitingOrganization) {
  let count = 0;
  const unfinished: WaitingOrganization['kinds'][number][] = [];
  try {
    for (const kind of kinds) {
      const batch = await transaction(detached({ services, organizationId }), (scope) => publishBatch(scope, kind));
      count += batch;
      if (batch === BATCH) unfinished.push(kind);
    }
    return { count, kinds: unfinished };
  } catch (error) {
    log.warn({ err: error, organizationId }, 'Failed to publish scheduled content; the next sweep tries again');
    return { count, kinds: [] };
  }
}

async function publishBatch(scope: Scope, { entity, event, eventsOf }: Kind<PublishableRecord>): Promise<number> {
  await lockContent(scope);
  const { em } = scope;
  const due = { status: 'scheduled', publishAt: { $lte: clock.now() } } as const;
  const records = await em.find(entity, due, { orderBy: { publishAt: 'asc' }, limit: BATCH });
  for (const record of records) publish(record);
  await em.flush();
  const sites = await em.find(Site, { id: { $in: [...new Set(records.map(({ siteId }) => siteId))] } });
  const workspaceOf = new Map(sites.map(({ id, workspaceId }) => [id, workspaceId]));
  const events = await eventsOf(scope, records);
  for (const [at, { siteId }] of records.entries()) await emitEvent(scope, event, workspaceOf.get(siteId)!, events[at]!);
  return records.length;
}
