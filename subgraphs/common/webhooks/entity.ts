import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import type { Word } from '../../../schema/words.ts';
import { Owned } from '../tenant.ts';
import type { WebhookSurface } from './policies.ts';

/** Who wants to be called for which events, on any surface. */
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

  /** Sealed; without one, deliveries are not signed. */
  @Property({ type: 'blob', nullable: true, lazy: true })
  secret: Buffer | null = null;

  /** Only events about this record (an agent, a workspace); null hears all. */
  @Property({ type: 'uuid', nullable: true })
  aboutId: string | null = null;

  /** Failed attempts since the last one that succeeded. */
  @Property({ type: 'integer' })
  failureCount: Opt<number> = 0;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = new Date();

  @Property({ type: 'datetime', onUpdate: () => new Date() })
  updatedAt: Opt<Date> = new Date();
}

/** One event for one subscription. Its body is written once, so every attempt sends the same bytes. */
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

  /** Null once it is at its end. */
  @Property({ type: 'datetime', nullable: true })
  nextAttemptAt: Date | null = null;

  /** The claim that leases it; null while nobody does. */
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

/** What came of one attempt. */
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
