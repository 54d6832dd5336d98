import { graphql } from '../graph/graphql.ts';
import type { Surface } from './surface.ts';

export const WEBHOOKS = graphql(`query Webhooks { webhooks { id url method eventType enabled createdAt } }`);

export const CREATE_WEBHOOK = graphql(
  `mutation CreateWebhook($input: NewWebhook!) { made: createWebhook(input: $input) { id secret } }`,
);
export const CHANGE_WEBHOOK = graphql(`
  mutation ChangeWebhook($id: ID!, $input: WebhookChange!) { updateWebhook(id: $id, input: $input) { id url method eventType enabled } }
`);

/** Deliveries of webhooks of the catalog. */
export const catalog = {
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
