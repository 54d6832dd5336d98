import type { NewEventSubscription, NewSiteWebhook, NewWebhook } from '../../.graph/graphql.ts';
import { catalog } from './catalog.ts';
import { events } from './events.ts';
import { sites } from './sites.ts';
import type { Surface, SurfaceName } from './surface.ts';

/** The operations of each surface. */
export const surfaces: Record<SurfaceName, Surface> = { catalog, events, sites };

export const surfaceNames = Object.keys(surfaces) as SurfaceName[];
export const isSurface = (name: string | undefined): name is SurfaceName => name !== undefined && Object.hasOwn(surfaces, name);

// Records, so that an event that is missing here is an error of the types.
const catalogEvents: Record<NewWebhook['eventType'][number], true> = {
  'product_enrichment.start': true,
  'product_enrichment.completed': true,
  'product_enrichment.stopped': true,
  'product_validation.start': true,
  'product_validation.completed': true,
  'product_validation.stopped': true,
  'product_market_analysis.start': true,
  'product_market_analysis.completed': true,
  'product_market_analysis.stopped': true,
  'ai_import.start': true,
  'ai_import.stopped': true,
  'ai_import.completed': true,
  'ai_import.failed': true,
};
const integrationEvents: Record<NewEventSubscription['event'], true> = {
  'lead.created': true,
  'form.submitted': true,
  'ticket.created': true,
  'ticket.assigned': true,
  'ticket.status_changed': true,
  'ticket.replied': true,
};
const siteEvents: Record<NewSiteWebhook['events'][number], true> = {
  'form.submission.created': true,
  'site.published': true,
  'page.created': true,
  'page.updated': true,
  'page.deleted': true,
  'collection.item.created': true,
  'collection.item.updated': true,
  'collection.item.deleted': true,
  'blog.post.published': true,
  'blog.post.updated': true,
  'blog.post.deleted': true,
};

const keysOf = <Key extends string>(record: Record<Key, true>) => Object.keys(record) as Key[];

/** All events of each surface. */
export const eventsOf = { catalog: keysOf(catalogEvents), events: keysOf(integrationEvents), sites: keysOf(siteEvents) };
