import type { TypedDocumentNode } from 'urql';
import type {
  DeliveryRange,
  NewEventSubscription,
  NewSiteWebhook,
  NewWebhook,
  ReceivedDelivery,
  WebhookDeliveryStatus,
} from '../../.graph/graphql.ts';
import { graphql } from '../graph/graphql.ts';

export type SurfaceName = 'catalog' | 'events' | 'sites';

export interface Webhook {
  id: string;
  surface: SurfaceName;
  /** Only webhooks of workspaces have a name. */
  name?: string;
  url: string;
  events: readonly string[];
  enabled: boolean;
  failureCount?: number;
  /** When failures last disabled the webhook. */
  disabledAt?: string | null;
  createdAt: string;
  /** Only deliveries to automation platforms are not signed. */
  isSigned: boolean;
  method?: 'post' | 'put' | 'patch';
  agentId?: string | null;
  workspaceId?: string;
}

export interface Delivery {
  id: string;
  event: string;
  status: WebhookDeliveryStatus;
  attempts: number;
  responseStatus?: number | null;
  lastError?: string | null;
  nextAttemptAt?: string | null;
  createdAt: string;
}

interface Attempt {
  id: string;
  number: number;
  at: string;
  durationMs: number;
  responseStatus?: number | null;
  responseSnippet?: string | null;
  error?: string | null;
}

interface Replay {
  id: string;
  status: 'running' | 'completed' | 'stopped';
  total: number;
  scheduled: number;
}

export interface SignatureReport {
  family: 'svc' | 'standard';
  accepted: boolean;
  checks: { name: string; passed: boolean; reason?: string | null }[];
}

interface ById {
  id: string;
}

/** The operations of one surface, with the same variables and aliases on each. */
interface Surface {
  deliveries: TypedDocumentNode<
    { list: { nodes: Delivery[]; pagination: { total: number } } },
    ById & { status?: WebhookDeliveryStatus | null; page: number; limit: number }
  >;
  updates: TypedDocumentNode<{ update: { sequence: number; delivery: Delivery } }, ById & { after?: number | null }>;
  delivery: TypedDocumentNode<{ delivery: Delivery & { body?: string | null; log: Attempt[] } }, ById>;
  test: TypedDocumentNode<{ delivery: ById }, ById>;
  replay: TypedDocumentNode<{ delivery: ById }, ById & { webhookId: string }>;
  replayRange: TypedDocumentNode<{ replay: Replay }, ById & { range: DeliveryRange }>;
  readReplay: TypedDocumentNode<{ replay: Replay }, ById>;
  stopReplay: TypedDocumentNode<{ replay: Replay }, ById>;
  check: TypedDocumentNode<{ reports: SignatureReport[] }, { input: ReceivedDelivery }>;
  enable: TypedDocumentNode<unknown, ById>;
  /** Event subscriptions cannot be disabled, only deleted. */
  disable?: TypedDocumentNode<unknown, ById>;
  remove: TypedDocumentNode<unknown, ById>;
}

export const WEBHOOKS = graphql(`query Webhooks { webhooks { id url method eventType enabled createdAt } }`);

export const CREATE_WEBHOOK = graphql(
  `mutation CreateWebhook($input: NewWebhook!) { made: createWebhook(input: $input) { id secret } }`,
);
export const CHANGE_WEBHOOK = graphql(`
  mutation ChangeWebhook($id: ID!, $input: WebhookChange!) { updateWebhook(id: $id, input: $input) { id url method eventType enabled } }
`);

const catalog = {
  deliveries: graphql(`
    query WebhookDeliveries($id: ID!, $status: WebhookDeliveryStatus, $page: Int!, $limit: Int!) {
      list: webhookDeliveries(webhookId: $id, status: $status, page: $page, limit: $limit) {
        nodes { id status attempts responseStatus lastError nextAttemptAt createdAt event } pagination { total }
      }
    }
  `),
  updates: graphql(`
    subscription WebhookDeliveryUpdates($id: ID!, $after: Int) {
      update: webhookDeliveryUpdates(webhookId: $id, after: $after) {
        sequence delivery { id status attempts responseStatus lastError nextAttemptAt createdAt event }
      }
    }
  `),
  delivery: graphql(`
    query WebhookDelivery($id: ID!) {
      delivery: webhookDelivery(id: $id) { id status attempts responseStatus lastError nextAttemptAt createdAt event body log { id number at durationMs responseStatus responseSnippet error } }
    }
  `),
  test: graphql(`mutation WebhookTest($id: ID!) { delivery: testWebhook(id: $id) { id status } }`),
  replay: graphql(`mutation WebhookReplay($id: ID!) { delivery: replayWebhookDelivery(id: $id) { id status nextAttemptAt } }`),
  replayRange: graphql(`
    mutation WebhookReplayRange($id: ID!, $range: DeliveryRange!) {
      replay: replayWebhookDeliveries(webhookId: $id, range: $range) { id status total scheduled }
    }
  `),
  readReplay: graphql(
    `query WebhookReplayState($id: ID!) { replay: webhookDeliveryReplay(id: $id) { id status total scheduled } }`,
  ),
  stopReplay: graphql(
    `mutation WebhookStopReplay($id: ID!) { replay: stopWebhookDeliveryReplay(id: $id) { id status total scheduled } }`,
  ),
  check: graphql(`
    query WebhookSignature($input: ReceivedDelivery!) {
      reports: checkWebhookSignature(input: $input) { family accepted checks { name passed reason } }
    }
  `),
  enable: graphql(`mutation WebhookEnable($id: ID!) { updateWebhook(id: $id, input: { enabled: true }) { id enabled } }`),
  disable: graphql(`mutation WebhookDisable($id: ID!) { updateWebhook(id: $id, input: { enabled: false }) { id enabled } }`),
  remove: graphql(`mutation WebhookRemove($id: ID!) { deleteWebhook(id: $id) { deleted } }`),
} satisfies Surface;

export const SUBSCRIPTIONS = graphql(`
  query EventSubscriptions {
    eventSubscriptions {
      subscriptions { id event targetUrl source agentId status failureCount disabledAt createdAt }
      availableEvents
    }
  }
`);
export const AGENTS = graphql(`query AgentNames { agents { id name } }`);

export const SUBSCRIBE = graphql(`
  mutation Subscribe($input: NewEventSubscription!) { made: createEventSubscription(input: $input) { id secret } }
`);

const events = {
  deliveries: graphql(`
    query EventDeliveries($id: ID!, $status: WebhookDeliveryStatus, $page: Int!, $limit: Int!) {
      list: eventDeliveries(subscriptionId: $id, status: $status, page: $page, limit: $limit) {
        nodes { id status attempts responseStatus lastError nextAttemptAt createdAt event } pagination { total }
      }
    }
  `),
  updates: graphql(`
    subscription EventDeliveryUpdates($id: ID!, $after: Int) {
      update: eventDeliveryUpdates(subscriptionId: $id, after: $after) {
        sequence delivery { id status attempts responseStatus lastError nextAttemptAt createdAt event }
      }
    }
  `),
  delivery: graphql(`
    query EventDelivery($id: ID!) {
      delivery: eventDelivery(id: $id) { id status attempts responseStatus lastError nextAttemptAt createdAt event body log { id number at durationMs responseStatus responseSnippet error } }
    }
  `),
  test: graphql(`mutation EventTest($id: ID!) { delivery: testEventSubscription(id: $id) { id status } }`),
  replay: graphql(`mutation EventReplay($id: ID!) { delivery: replayEventDelivery(id: $id) { id status nextAttemptAt } }`),
  replayRange: graphql(`
    mutation EventReplayRange($id: ID!, $range: DeliveryRange!) {
      replay: replayEventDeliveries(subscriptionId: $id, range: $range) { id status total scheduled }
    }
  `),
  readReplay: graphql(`query EventReplayState($id: ID!) { replay: eventDeliveryReplay(id: $id) { id status total scheduled } }`),
  stopReplay: graphql(
    `mutation EventStopReplay($id: ID!) { replay: stopEventDeliveryReplay(id: $id) { id status total scheduled } }`,
  ),
  check: graphql(`
    query EventSignature($input: ReceivedDelivery!) {
      reports: checkEventSignature(input: $input) { family accepted checks { name passed reason } }
    }
  `),
  enable: graphql(`mutation EventEnable($id: ID!) { enableEventSubscription(id: $id) { id status failureCount } }`),
  remove: graphql(`mutation EventRemove($id: ID!) { deleteEventSubscriptions(id: $id) { deleted } }`),
} satisfies Surface;

export const SITE_WEBHOOKS = graphql(`
  query SiteWebhooks {
    siteWebhooks(perPage: 100) {
      nodes { id workspaceId name url events enabled failureCount disabledAt createdAt lastDeliveryAt }
    }
  }
`);
export const WORKSPACE_NAMES = graphql(`query WorkspaceNames { workspaces(perPage: 100) { nodes { id name } } }`);

export const CREATE_SITE_WEBHOOK = graphql(`
  mutation CreateSiteWebhook($input: NewSiteWebhook!) { made: createSiteWebhook(input: $input) { id } }
`);
export const CHANGE_SITE_WEBHOOK = graphql(`
  mutation ChangeSiteWebhook($id: ID!, $input: SiteWebhookChange!) {
    updateSiteWebhook(id: $id, input: $input) { id name url events enabled }
  }
`);
export const SECRET = graphql(`
  query SiteWebhookSecret($id: ID!) { siteWebhookSecret(id: $id) { secret previousSecretExpiresAt } }
`);
export const ROTATE = graphql(`
  mutation RotateSiteWebhookSecret($id: ID!, $force: Boolean!) { rotateSiteWebhookSecret(id: $id, force: $force) { secret previousSecretExpiresAt } }
`);

const sites = {
  deliveries: graphql(`
    query SiteWebhookDeliveries($id: ID!, $status: WebhookDeliveryStatus, $page: Int!, $limit: Int!) {
      list: siteWebhookDeliveries(webhookId: $id, status: $status, page: $page, perPage: $limit) {
        nodes { id status attempts responseStatus lastError nextAttemptAt createdAt event } pagination: meta { total }
      }
    }
  `),
  updates: graphql(`
    subscription SiteWebhookDeliveryUpdates($id: ID!, $after: Int) {
      update: siteWebhookDeliveryUpdates(webhookId: $id, after: $after) {
        sequence delivery { id status attempts responseStatus lastError nextAttemptAt createdAt event }
      }
    }
  `),
  delivery: graphql(`
    query SiteWebhookDelivery($id: ID!) {
      delivery: siteWebhookDelivery(id: $id) { id status attempts responseStatus lastError nextAttemptAt createdAt event body log { id number at durationMs responseStatus responseSnippet error } }
    }
  `),
  test: graphql(`mutation SiteWebhookTest($id: ID!) { delivery: testSiteWebhook(id: $id) { id status } }`),
  replay: graphql(
    `mutation SiteWebhookReplay($id: ID!, $webhookId: ID!) { delivery: replaySiteWebhookDelivery(id: $id, webhookId: $webhookId) { id status nextAttemptAt } }`,
  ),
  replayRange: graphql(`
    mutation SiteWebhookReplayRange($id: ID!, $range: DeliveryRange!) {
      replay: replaySiteWebhookDeliveries(webhookId: $id, range: $range) { id status total scheduled }
    }
  `),
  readReplay: graphql(
    `query SiteWebhookReplayState($id: ID!) { replay: siteWebhookDeliveryReplay(id: $id) { id status total scheduled } }`,
  ),
  stopReplay: graphql(
    `mutation SiteWebhookStopReplay($id: ID!) { replay: stopSiteWebhookDeliveryReplay(id: $id) { id status total scheduled } }`,
  ),
  check: graphql(`
    query SiteWebhookSignature($input: ReceivedDelivery!) {
      reports: checkSiteWebhookSignature(input: $input) { family accepted checks { name passed reason } }
    }
  `),
  enable: graphql(`mutation SiteWebhookEnable($id: ID!) { updateSiteWebhook(id: $id, input: { enabled: true }) { id enabled } }`),
  disable: graphql(
    `mutation SiteWebhookDisable($id: ID!) { updateSiteWebhook(id: $id, input: { enabled: false }) { id enabled } }`,
  ),
  remove: graphql(`mutation SiteWebhookRemove($id: ID!) { deleteSiteWebhook(id: $id) { id deleted } }`),
} satisfies Surface;

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
  'product.created': true,
  'product.updated': true,
  'product.deleted': true,
  'acceptance.stopped': true,
};
const integrationEvents: Record<NewEventSubscription['event'], true> = {
  'lead.created': true,
  'form.submitted': true,
  'ticket.created': true,
  'ticket.assigned': true,
  'ticket.status_changed': true,
  'ticket.replied': true,
  'agent.tests.failed': true,
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

export const eventsOf = { catalog: keysOf(catalogEvents), events: keysOf(integrationEvents), sites: keysOf(siteEvents) };
