/** What happened, as it is when the record is written. */
export interface WebhookEvent {
  /** Of the delivery, the same over every attempt. */
  id: string;
  event: string;
  organizationId: string;
  subscriptionId: string;
  aboutId: string | null;
  occurredAt: string;
  payload: Record<string, unknown>;
}

/** How a surface delivers its events. */
export interface Policy {
  /** Seconds between attempts; there is one attempt more than waits. */
  waits: readonly number[];
  timeoutMs: number;
  /** Consecutive failed attempts that disable a subscription; never when absent. */
  disableAfter?: number;
  /** Whether 410 deletes the subscription, and is no failure. */
  goneDeletes: boolean;
  envelope(event: WebhookEvent): Record<string, unknown>;
}

/** The contract writes this key as "the service", as it does wherever it means the payload. */
const PAYLOAD = 'payload';

export const policies = {
  catalog: {
    waits: [],
    timeoutMs: 30_000,
    goneDeletes: false,
    envelope: ({ subscriptionId, event, payload }) => ({ webhookId: subscriptionId, event, [PAYLOAD]: payload }),
  },
  integration: {
    waits: [60, 5 * 60, 30 * 60, 2 * 60 * 60],
    timeoutMs: 10_000,
    disableAfter: 15,
    goneDeletes: true,
    envelope: ({ id, event, organizationId, aboutId, occurredAt, payload }) => ({
      id,
      event,
      organizationId,
      agentId: aboutId,
      occurredAt,
      data: payload,
    }),
  },
} as const satisfies Record<string, Policy>;

export type WebhookSurface = keyof typeof policies;

export const policyOf = (surface: WebhookSurface): Policy => policies[surface];
