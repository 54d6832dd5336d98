/** An event for a subscription, with the data at the time of the change. */
export interface WebhookEvent {
  /** Id of the event, the same for all subscriptions. */
  id: string;
  event: string;
  organizationId: string;
  subscriptionId: string;
  aboutId: string | null;
  occurredAt: string;
  payload: unknown;
}

/** The delivery rules of a surface. */
export interface Policy {
  /** The surface's word for a subscription, for error messages. */
  noun: string;
  /** Seconds between attempts; the first attempt has no delay. */
  delays: readonly number[];
  timeoutMs: number;
  /** Number of consecutive failed attempts that disables a subscription; never disabled when absent. */
  disableAfter?: number;
  /** Whether status 410 deletes the subscription instead of counting as a failure. */
  deleteOnGone: boolean;
  envelope(event: WebhookEvent): Record<string, unknown>;
}

/** Attempts, waits and envelope of the agent service, which the site-content surface shares. */
const agentPolicy = {
  delays: [60, 5 * 60, 30 * 60, 2 * 60 * 60],
  timeoutMs: 10_000,
  disableAfter: 15,
  deleteOnGone: true,
} as const;

/** The contract calls this key "the service", its term for the payload. */
const PAYLOAD = 'payload';

export const policies = {
  catalog: {
    noun: 'Webhook',
    delays: [],
    timeoutMs: 30_000,
    deleteOnGone: false,
    envelope: ({ subscriptionId, event, payload }) => ({ webhookId: subscriptionId, event, [PAYLOAD]: payload }),
  },
  integration: {
    ...agentPolicy,
    noun: 'Subscription',
    envelope: ({ id, event, organizationId, aboutId, occurredAt, payload }) => ({
      id,
      event,
      organizationId,
      agentId: aboutId,
      occurredAt,
      data: payload,
    }),
  },
  'site-content': {
    ...agentPolicy,
    noun: 'Webhook',
    // Events of site content are about no agent.
    envelope: ({ id, event, organizationId, occurredAt, payload }) => ({
      id,
      event,
      organizationId,
      agentId: null,
      occurredAt,
      data: payload,
    }),
  },
} as const satisfies Record<string, Policy>;

export type WebhookSurface = keyof typeof policies;

export const policyOf = (surface: WebhookSurface): Policy => policies[surface];
