import type { TypedDocumentNode } from 'urql';
import type { DeliveryRange, ReceivedDelivery, WebhookDeliveryStatus } from '../../.graph/graphql.ts';

export type SurfaceName = 'catalog' | 'events' | 'sites';

/** One webhook of any surface. */
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

export interface Replay {
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
export interface Surface {
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

/** A new webhook, with its secret if the page shows it only once. Undefined after a change. */
export type Made = { id: string; secret?: string | null } | undefined;

/** Properties of the form of a surface. */
export interface FormProps {
  /** The webhook to change; a new one if it is absent. */
  webhook?: Webhook;
  onDone(made: Made): void;
}
