import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { Opt } from '@mikro-orm/postgresql';
import { ArgsType, Directive, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../schema/enums.ts';
import { enumTypes } from '../../schema/scalars.ts';
import { clock, FieldProperty, OfWorkspace, Owned } from '../database/index.ts';
import { args, field, input, output } from '../fields/index.ts';
import { pageArguments } from '../lists/index.ts';
import type { WebhookSurface } from './policies.ts';

/** A subscription of a URL to events, for all surfaces. */
@Entity({ schema: 'webhooks', tableName: 'subscriptions' })
@OfWorkspace('aboutId')
export class WebhookSubscription extends Owned {
  @Property({ type: 'string' })
  surface!: WebhookSurface;

  @Property({ type: 'text' })
  url!: string;

  @Property({ type: 'string' })
  method: Opt<EnumValue<'WebhookMethod'>> = 'post';

  @Property({ type: 'array' })
  events!: string[];

  @Property({ type: 'boolean' })
  enabled: Opt<boolean> = true;

  /** Sealed signing secret; deliveries are not signed when null. */
  @Property({ type: 'blob', nullable: true, lazy: true })
  secret: Buffer | null = null;

  /** Sealed signing secret before the last rotation. It signs too, until it expires. */
  @Property({ type: 'blob', nullable: true, lazy: true })
  previousSecret: Buffer | null = null;

  @Property({ type: 'datetime', nullable: true })
  previousSecretExpiresAt: Date | null = null;

  /** Chosen by the user; only some surfaces have it. */
  @Property({ type: 'string', length: 255, nullable: true })
  name: string | null = null;

  /** Limits the subscription to events of this record (agent or workspace); null means all. */
  @Property({ type: 'uuid', nullable: true })
  aboutId: string | null = null;

  /** Failed attempts since the last success. */
  @Property({ type: 'integer' })
  failureCount: Opt<number> = 0;

  /** When failures last disabled the subscription; null if they never did, or if a user disabled it since. */
  @Property({ type: 'datetime', nullable: true })
  disabledAt: Date | null = null;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();

  @Property({ type: 'datetime', onUpdate: () => clock.now() })
  updatedAt: Opt<Date> = this.createdAt;
}

/** An event of the organization, stored once. It lasts as long as its deliveries. */
@Entity({ schema: 'webhooks', tableName: 'events' })
export class EmittedEvent extends Owned {
  @Property({ type: 'string' })
  event!: string;

  /** The record (agent or workspace) to which subscriptions may be limited. */
  @Property({ type: 'uuid', nullable: true })
  aboutId: string | null = null;

  @Property({ type: 'datetime' })
  occurredAt!: Date;

  /** The data of the event as JSON. Stored as text, so that every delivery of it sends the same bytes. */
  @Property({ type: 'text', lazy: true })
  payload!: string;
}

/** One event for one subscription. */
@Entity({ schema: 'webhooks', tableName: 'deliveries' })
export class Delivery extends Owned {
  @Property({ type: 'uuid' })
  subscriptionId!: string;

  @Property({ type: 'string' })
  event!: string;

  @Property({ type: 'uuid' })
  eventId!: string;

  @Property({ type: 'string' })
  status: Opt<EnumValue<'WebhookDeliveryStatus'>> = 'pending';

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

  /** Leases that expired without a result, because the process ended or could not record it. */
  @Property({ type: 'integer', lazy: true })
  losses: Opt<number> = 0;

  @Property({ type: 'integer', nullable: true })
  responseStatus: number | null = null;

  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  /** The trace of the event as a `traceparent`, which the attempts continue. */
  @Property({ type: 'text', nullable: true, lazy: true })
  trace: string | null = null;

  @Property({ type: 'datetime' })
  createdAt: Opt<Date> = clock.now();
}

/** The result of one attempt to send a delivery. */
@Entity({ schema: 'webhooks', tableName: 'attempts' })
export class Attempt extends Owned {
  @Property({ type: 'uuid' })
  deliveryId!: string;

  @Property({ type: 'uuid' })
  subscriptionId!: string;

  /** Number among the attempts of the subscription, in the order of their commits. */
  @Property({ type: 'integer' })
  sequence!: number;

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
  at: Opt<Date> = clock.now();
}

// Several subgraphs have replays.
@Directive('@shareable')
@ObjectType({ description: 'A replay of many deliveries, which runs in the background.' })
@Entity({ schema: 'webhooks', tableName: 'replays' })
export class DeliveryReplay extends Owned {
  @Property({ type: 'uuid' })
  subscriptionId!: string;

  @Property({ type: 'array' })
  statuses!: string[];

  @FieldProperty(() => enumTypes.ReplayStatus, { type: 'string' })
  status!: EnumValue<'ReplayStatus'>;

  @FieldProperty({ type: 'datetime', description: 'Start of the period, inclusive.' })
  from!: Date;

  @FieldProperty({ type: 'datetime', description: 'End of the period, exclusive.' })
  to!: Date;

  @FieldProperty({ type: 'integer', description: 'Number of matching deliveries when the replay started.' })
  total!: number;

  @FieldProperty({ type: 'integer', description: 'Number of deliveries that were scheduled so far, oldest first.' })
  scheduled!: number;

  @FieldProperty({ type: 'datetime' })
  createdAt!: Date;

  @FieldProperty({ type: 'datetime', nullable: true, description: 'Null while the replay is running.' })
  endedAt: Date | null = null;
}

// Several subgraphs have webhooks.
@Directive('@shareable')
@ObjectType({ description: 'One attempt to send a delivery.' })
export class WebhookAttempt extends output({
  id: field(ID),
  number: field(Int, 'Starts at 1. Replays count.'),
  responseStatus: field(Int, { nullable: true, description: 'HTTP status; null if there was no response.' }),
  responseSnippet: field(String, { nullable: true, description: 'The beginning of the response body.' }),
  error: field(String, { nullable: true, description: 'Why the attempt failed; null if it succeeded.' }),
  durationMs: field(Int),
  at: field(Date),
}) {}

/** Description of the field `body` of a delivery. */
export const BODY =
  'The exact request body. Event data above 256 KiB of JSON omits its largest properties and contains `truncated: true`.';

/** The fields of a delivery on every surface. The surface adds `event`, whose words differ, and `body`. */
@ObjectType()
export abstract class DeliveryFields extends output({
  id: field(ID, 'The value of `x-svc-delivery`. It is the same for all attempts and replays.'),
  eventId: field(ID, 'Id of the event, the same for all subscriptions.'),
  status: field(enumTypes.WebhookDeliveryStatus),
  attempts: field(Int, 'Number of attempts.'),
  responseStatus: field(Int, { nullable: true, description: 'HTTP status of the latest attempt; null if there was no response.' }),
  lastError: field(String, { nullable: true, description: 'Why the latest attempt failed; null if it succeeded.' }),
  nextAttemptAt: field(Date, { nullable: true, description: 'Null if no further attempt is scheduled.' }),
  createdAt: field(Date),
}) {}

/** The page and the filter of a delivery log. The surface adds `event` and the id of the subscription. */
@ArgsType()
export abstract class DeliveryLogArguments extends args(pageArguments(20), {
  status: field(enumTypes.WebhookDeliveryStatus, { nullable: true, description: 'Only deliveries with this status.' }),
  from: field(Date, { nullable: true, description: 'Only deliveries created at or after this time.' }),
  to: field(Date, { nullable: true, description: 'Only deliveries created before this time.' }),
}) {}

@InputType({ description: 'The deliveries to replay. Without fields, all that have ended in the last 30 days.' })
export class DeliveryRange extends input({
  from: field(Date, { nullable: true, description: 'Only deliveries created at or after this time.' }),
  to: field(Date, { nullable: true, description: 'Only deliveries created before this time. Default: now.' }),
  status: field(enumTypes.WebhookDeliveryStatus, {
    nullable: true,
    description: 'Only deliveries with this status, except `pending`.',
  }),
  sinceDisabled: field(Boolean, {
    nullable: true,
    description: 'Only `failed` and `missed` deliveries since failures last disabled the subscription.',
  }),
}) {}

/** The fields of an update on every surface. The surface adds `delivery`. */
@ObjectType()
export abstract class DeliveryUpdateFields extends output({
  sequence: field(Int, 'Number of the attempt among those of the subscription, without gaps.'),
  isSnapshot: field(Boolean, 'Whether the attempt was made before the subscription, which did not resume after a number.'),
  attempt: field(WebhookAttempt),
}) {}

/** Description of the argument `after` of a subscription to updates. */
export const AFTER =
  'The last `sequence` that the client received. Without it, and if no attempt has the number yet, the subscription starts with the latest 50 attempts. 0 starts with the first attempt that is stored.';
