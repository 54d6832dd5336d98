import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import type { Word } from '../../../schema/words.ts';
import { Owned } from '../tenant.ts';
import type { WebhookSurface } from './policies.ts';

/** A subscription of a URL to events, for all surfaces. */
@Entity({ schema: 'webhooks', tableName: 'subscriptions' })
export class WebhookSubscription extends Owned {
  @Property({ type: 'string' })
  surface!: WebhookSurface;

  @Property({ type: 'text' })
  url!: string;

  @Property({ type: 'string' })
  method: Opt<Word<'WebhookMethod'>> = 'post';

  @Property({ type: 'array' })
  events!: string[];

  @Property({ type: 'boolean' })
  enabled: Opt<boolean> = true;

  /** Sealed signing secret; deliveries are not signed when null. */
  @Property({ type: 'blob', nullable: true, lazy: true })
  secret: Buffer | null = null;

  /** Limits the subscription to events of this record (agent or workspace); null means all. */
  @Property({ type: 'uuid', nullable: true })
  aboutId: string | null = null;

  /** Failed attempts since the last success. */
  @Property({ type: 'integer' })
  failureCount: Opt<number> = 0;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();

  @Property({ type: 'datetime', onUpdate: () => new Date() })
  updatedAt: Opt<Date> = new Date();
}

/** One event for one subscription. Its body is stored, so every attempt sends the same bytes. */
@Entity({ schema: 'webhooks', tableName: 'deliveries' })
export class Delivery extends Owned {
  @Property({ type: 'uuid' })
  subscriptionId!: string;

  @Property({ type: 'string' })
  event!: string;

  @Property({ type: 'text' })
  body!: string;

  @Property({ type: 'string' })
  status: Opt<Word<'WebhookDeliveryStatus'>> = 'pending';

  @Property({ type: 'integer' })
  attempts: Opt<number> = 0;

  /** Null when no attempt follows. */
  @Property({ type: 'datetime', nullable: true })
  nextAttemptAt: Date | null = null;

  /** Id of the current lease; null without one. */
  @Property({ type: 'uuid', nullable: true })
  leasedBy: string | null = null;

  @Property({ type: 'datetime', nullable: true })
  leasedUntil: Date | null = null;

  @Property({ type: 'integer', nullable: true })
  responseStatus: number | null = null;

  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();
}

/** The result of one attempt to send a delivery. */
@Entity({ schema: 'webhooks', tableName: 'attempts' })
export class Attempt extends Owned {
  @Property({ type: 'uuid' })
  deliveryId!: string;

  @Property({ type: 'integer' })
  number!: number;

  @Property({ type: 'integer', nullable: true })
  responseStatus: number | null = null;

  @Property({ type: 'text', nullable: true })
  responseSnippet: string | null = null;

  @Property({ type: 'text', nullable: true })
  error: string | null = null;

  @Property({ type: 'integer' })
  durationMs!: number;

  @Property({ type: 'datetime' })
  at: Opt<Date> = new Date();
}
