/**
 * The operations that the widget sends to `/graphql`, all of them. Gateways plan them when they start, so that no limit on new documents
 * refuses a visitor. They are found by their exact text.
 */

export const HANDOFF_EVENTS = `subscription ($after: Int!) {
  event: visitorHandoffEvents(after: $after) {
    sequence type status party operatorName seenTo message { id position text authorName }
  }
}`;

export const HANDOFF_PLACE = '{ place: visitorHandoffPlace away: visitorHandoffAway { message opensAt } }';

export const SET_TYPING = 'mutation { setVisitorTyping }';

export const SET_SEEN = 'mutation ($position: Int!) { setVisitorSeen(position: $position) }';

export const END_HANDOFF = 'mutation { endHandoff }';

export const STOP_REPLY = `mutation ($slug: String!, $visitorId: String!, $id: ID!) {
  stopWidgetReply(publicSlug: $slug, visitorId: $visitorId, conversationId: $id)
}`;
