import { graphql } from '../graph/graphql.ts';
import type { Surface } from './surface.ts';

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

/** Deliveries of webhooks of workspaces. */
export const sites = {
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
