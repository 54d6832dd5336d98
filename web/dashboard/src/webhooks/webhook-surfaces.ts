import type { TypedDocumentNode } from 'urql';
import type {
  AttemptRowFragment,
  CatalogDeliveryFragment,
  DeliveryRange,
  NewEventSubscriptions,
  NewSiteWebhook,
  NewWebhook,
  ReceivedDelivery,
  ReplayStateFragment,
  SignatureVerdictFragment,
  WebhookDeliveryStatus,
} from '../../.graph/graphql.ts';
import { graphql } from '../graph/graph-hooks.ts';

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

/** A delivery of any surface. Each has its own enum of events. */
export type Delivery = Omit<CatalogDeliveryFragment, 'event'> & { event: string };

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
  delivery: TypedDocumentNode<{ delivery: Delivery & { body?: string | null; log: AttemptRowFragment[] } }, ById>;
  test: TypedDocumentNode<{ delivery: ById }, ById>;
  replay: TypedDocumentNode<{ delivery: ById }, ById & { webhookId: string }>;
  replayRange: TypedDocumentNode<{ replay: ReplayStateFragment }, ById & { range: DeliveryRange }>;
  readReplay: TypedDocumentNode<{ replay: ReplayStateFragment }, ById>;
  stopReplay: TypedDocumentNode<{ replay: ReplayStateFragment }, ById>;
  check: TypedDocumentNode<{ reports: SignatureVerdictFragment[] }, { input: ReceivedDelivery }>;
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

graphql(`fragment AttemptRow on WebhookAttempt { id number at durationMs responseStatus responseSnippet error }`);
graphql(`fragment ReplayState on DeliveryReplay { id status total scheduled }`);
graphql(`fragment SignatureVerdict on SignatureReport { family accepted checks { name passed reason } }`);

graphql(
  `fragment CatalogDelivery on WebhookDelivery { id status attempts responseStatus lastError nextAttemptAt createdAt event }`,
);
const catalog = {
  deliveries: graphql(`
    query WebhookDeliveries($id: ID!, $status: WebhookDeliveryStatus, $page: Int!, $limit: Int!) {
      list: webhookDeliveries(webhookId: $id, status: $status, page: $page, limit: $limit) {
        nodes { ...CatalogDelivery } pagination { total }
      }
    }
  `),
  updates: graphql(`
    subscription WebhookDeliveryUpdates($id: ID!, $after: Int) {
      update: webhookDeliveryUpdates(webhookId: $id, after: $after) { sequence delivery { ...CatalogDelivery } }
    }
  `),
  delivery: graphql(
    `query WebhookDelivery($id: ID!) { delivery: webhookDelivery(id: $id) { ...CatalogDelivery body log { ...AttemptRow } } }`,
  ),
  test: graphql(`mutation WebhookTest($id: ID!) { delivery: testWebhook(id: $id) { id status } }`),
  replay: graphql(`mutation WebhookReplay($id: ID!) { delivery: replayWebhookDelivery(id: $id) { id status nextAttemptAt } }`),
  replayRange: graphql(`
    mutation WebhookReplayRange($id: ID!, $range: DeliveryRange!) {
      replay: replayWebhookDeliveries(webhookId: $id, range: $range) { ...ReplayState }
    }
  `),
  readReplay: graphql(`query WebhookReplayState($id: ID!) { replay: webhookDeliveryReplay(id: $id) { ...ReplayState } }`),
  stopReplay: graphql(`mutation WebhookStopReplay($id: ID!) { replay: stopWebhookDeliveryReplay(id: $id) { ...ReplayState } }`),
  check: graphql(
    `query WebhookSignature($input: ReceivedDelivery!) { reports: checkWebhookSignature(input: $input) { ...SignatureVerdict } }`,
  ),
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
  mutation Subscribe($input: NewEventSubscriptions!) {
    made: createEventSubscriptions(input: $input) { subscriptions { id } secret }
  }
`);

graphql(`fragment AgentDelivery on EventDelivery { id status attempts responseStatus lastError nextAttemptAt createdAt event }`);
const events = {
  deliveries: graphql(`
    query EventDeliveries($id: ID!, $status: WebhookDeliveryStatus, $page: Int!, $limit: Int!) {
      list: eventDeliveries(subscriptionId: $id, status: $status, page: $page, limit: $limit) {
        nodes { ...AgentDelivery } pagination { total }
      }
    }
  `),
  updates: graphql(`
    subscription EventDeliveryUpdates($id: ID!, $after: Int) {
      update: eventDeliveryUpdates(subscriptionId: $id, after: $after) { sequence delivery { ...AgentDelivery } }
    }
  `),
  delivery: graphql(
    `query EventDelivery($id: ID!) { delivery: eventDelivery(id: $id) { ...AgentDelivery body log { ...AttemptRow } } }`,
  ),
  test: graphql(`mutation EventTest($id: ID!) { delivery: testEventSubscription(id: $id) { id status } }`),
  replay: graphql(`mutation EventReplay($id: ID!) { delivery: replayEventDelivery(id: $id) { id status nextAttemptAt } }`),
  replayRange: graphql(`
    mutation EventReplayRange($id: ID!, $range: DeliveryRange!) {
      replay: replayEventDeliveries(subscriptionId: $id, range: $range) { ...ReplayState }
    }
  `),
  readReplay: graphql(`query EventReplayState($id: ID!) { replay: eventDeliveryReplay(id: $id) { ...ReplayState } }`),
  stopReplay: graphql(`mutation EventStopReplay($id: ID!) { replay: stopEventDeliveryReplay(id: $id) { ...ReplayState } }`),
  check: graphql(
    `query EventSignature($input: ReceivedDelivery!) { reports: checkEventSignature(input: $input) { ...SignatureVerdict } }`,
  ),
  enable: graphql(`mutation EventEnable($id: ID!) { enableEventSubscription(id: $id) { id status failureCount } }`),
  remove: graphql(`mutation EventRemove($id: ID!) { deleteEventSubscriptions(id: $id) { deleted } }`),
} satisfies Surface;

export const SITE_WEBHOOKS = graphql(`
  query SiteWebhooks {
    siteWebhooks(perPage: 100) { nodes { id workspaceId name url events enabled failureCount disabledAt createdAt lastDeliveryAt } }
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

graphql(
  `fragment SiteDelivery on SiteWebhookDelivery { id status attempts responseStatus lastError nextAttemptAt createdAt event }`,
);
const sites = {
  deliveries: graphql(`
    query SiteWebhookDeliveries($id: ID!, $status: WebhookDeliveryStatus, $page: Int!, $limit: Int!) {
      list: siteWebhookDeliveries(webhookId: $id, status: $status, page: $page, perPage: $limit) {
        nodes { ...SiteDelivery } pagination: meta { total }
      }
    }
  `),
  updates: graphql(`
    subscription SiteWebhookDeliveryUpdates($id: ID!, $after: Int) {
      update: siteWebhookDeliveryUpdates(webhookId: $id, after: $after) { sequence delivery { ...SiteDelivery } }
    }
  `),
  delivery: graphql(
    `query SiteWebhookDelivery($id: ID!) { delivery: siteWebhookDelivery(id: $id) { ...SiteDelivery body log { ...AttemptRow } } }`,
  ),
  test: graphql(`mutation SiteWebhookTest($id: ID!) { delivery: testSiteWebhook(id: $id) { id status } }`),
  replay: graphql(
    `mutation SiteWebhookReplay($id: ID!, $webhookId: ID!) { delivery: replaySiteWebhookDelivery(id: $id, webhookId: $webhookId) { id status nextAttemptAt } }`,
  ),
  replayRange: graphql(`
    mutation SiteWebhookReplayRange($id: ID!, $range: DeliveryRange!) {
      replay: replaySiteWebhookDeliveries(webhookId: $id, range: $range) { ...ReplayState }
    }
  `),
  readReplay: graphql(`query SiteWebhookReplayState($id: ID!) { replay: siteWebhookDeliveryReplay(id: $id) { ...ReplayState } }`),
  stopReplay: graphql(
    `mutation SiteWebhookStopReplay($id: ID!) { replay: stopSiteWebhookDeliveryReplay(id: $id) { ...ReplayState } }`,
  ),
  check: graphql(
    `query SiteWebhookSignature($input: ReceivedDelivery!) { reports: checkSiteWebhookSignature(input: $input) { ...SignatureVerdict } }`,
  ),
  enable: graphql(`mutation SiteWebhookEnable($id: ID!) { updateSiteWebhook(id: $id, input: { enabled: true }) { id enabled } }`),
  disable: graphql(
    `mutation SiteWebhookDisable($id: ID!) { updateSiteWebhook(id: $id, input: { enabled: false }) { id enabled } }`,
  ),
  remove: graphql(`mutation SiteWebhookRemove($id: ID!) { deleteSiteWebhook(id: $id) { id deleted } }`),
} satisfies Surface;

export const surfaces: Record<SurfaceName, Surface> = { catalog, events, sites };

export const surfaceNames = Object.keys(surfaces) as SurfaceName[];
export const isSurface = (name: string | undefined): name is SurfaceName => name !== undefined && Object.hasOwn(surfaces, name);

/** The groups in which events are chosen. */
export type EventGroup =
  | 'enrichment'
  | 'validation'
  | 'market'
  | 'imports'
  | 'products'
  | 'rules'
  | 'forms'
  | 'tickets'
  | 'conversations'
  | 'quality'
  | 'site'
  | 'pages'
  | 'items'
  | 'posts';

// Records, so that an event that is missing here is an error of the types.
const catalogEvents: Record<NewWebhook['eventType'][number], EventGroup> = {
  'product_enrichment.start': 'enrichment',
  'product_enrichment.completed': 'enrichment',
  'product_enrichment.stopped': 'enrichment',
  'product_validation.start': 'validation',
  'product_validation.completed': 'validation',
  'product_validation.stopped': 'validation',
  'product_market_analysis.start': 'market',
  'product_market_analysis.completed': 'market',
  'product_market_analysis.stopped': 'market',
  'ai_import.start': 'imports',
  'ai_import.stopped': 'imports',
  'ai_import.completed': 'imports',
  'ai_import.failed': 'imports',
  'product.created': 'products',
  'product.updated': 'products',
  'product.deleted': 'products',
  'acceptance.stopped': 'rules',
};
const agentEvents: Record<NewEventSubscriptions['events'][number], EventGroup> = {
  'lead.created': 'forms',
  'form.submitted': 'forms',
  'ticket.created': 'tickets',
  'ticket.assigned': 'tickets',
  'ticket.status_changed': 'tickets',
  'ticket.replied': 'tickets',
  'conversation.started': 'conversations',
  'conversation.closed': 'conversations',
  'handoff.requested': 'conversations',
  'message.rated_down': 'quality',
  'tool.called': 'quality',
  'test.failed': 'quality',
  'agent.tests.failed': 'quality',
};
const siteEvents: Record<NewSiteWebhook['events'][number], EventGroup> = {
  'form.submission.created': 'site',
  'site.published': 'site',
  'page.created': 'pages',
  'page.updated': 'pages',
  'page.deleted': 'pages',
  'collection.item.created': 'items',
  'collection.item.updated': 'items',
  'collection.item.deleted': 'items',
  'blog.post.published': 'posts',
  'blog.post.updated': 'posts',
  'blog.post.deleted': 'posts',
};

const grouped = (events: Record<string, EventGroup>) =>
  Object.entries(Object.groupBy(Object.keys(events), (event) => events[event]!)) as [EventGroup, string[]][];

/** The events of each surface, in groups. */
export const eventGroups = { catalog: grouped(catalogEvents), events: grouped(agentEvents), sites: grouped(siteEvents) };
