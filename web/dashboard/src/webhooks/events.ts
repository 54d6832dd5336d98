import { graphql } from '../graph/graphql.ts';
import type { Surface } from './surface.ts';

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

/** Deliveries of event subscriptions of the agents. */
export const events = {
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
