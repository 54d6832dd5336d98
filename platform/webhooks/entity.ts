import { Directive, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../schema/enums.ts';
import { enumTypes } from '../../schema/scalars.ts';
import { clock, column, columns, hidden, OfWorkspace, Owned, Table } from '../database/index.ts';
import { args, field, input, output } from '../fields/index.ts';
import { pageArguments } from '../lists/index.ts';
import type { WebhookSurface } from './policies.ts';

/** A subscription of a URL to events, for all surfaces. */
@Table('webhooks.subscriptions')
@OfWorkspace('aboutId')
export class WebhookSubscription extends columns(Owned, {
  surface: hidden('string').as<WebhookSurface>(),
  url: hidden('text'),
  method: hidden('string', { initial: 'post' }).as<EnumValue<'WebhookMethod'>>(),
  events: hidden('array'),
  enabled: hidden('boolean', { initial: true }),
  /** Sealed signing secret; deliveries are not signed when null. */
  secret: hidden('blob', { nullable: true, lazy: true }),
  /** Sealed signing secret before the last rotation. It signs too, until it expires. */
  previousSecret: hidden('blob', { nullable: true, lazy: true }),
  previousSecretExpiresAt: hidden('datetime', { nullable: true }),
  /** Chosen by the user; only some surfaces have it. */
  name: hidden('string', { nullable: true, length: 255 }),
  /** Limits the subscription to events of this record (agent or workspace); null means all. */
  aboutId: hidden('uuid', { nullable: true }),
  /** Failed attempts since the last success. */
  failureCount: hidden('integer', { initial: 0 }),
  /** When failures last disabled the subscription; null if they never did, or if a user disabled it since. */
  disabledAt: hidden('datetime', { nullable: true }),
  createdAt: hidden('datetime', { initial: clock.now }),
  updatedAt: hidden('datetime', { initial: (row: { createdAt: Date }) => row.createdAt, onUpdate: clock.now }),
}) {}

/** An event of the organization, stored once. It lasts as long as its deliveries. */
@Table('webhooks.events')
export class EmittedEvent extends columns(Owned, {
  event: hidden('string'),
  /** The record (agent or workspace) to which subscriptions may be limited. */
  aboutId: hidden('uuid', { nullable: true }),
  occurredAt: hidden('datetime'),
  /** The data of the event as JSON. Stored as text, so that every delivery of it sends the same bytes. */
  payload: hidden('text', { lazy: true }),
}) {}

/** One event for one subscription. */
@Table('webhooks.deliveries')
export class Delivery extends columns(Owned, {
  subscriptionId: hidden('uuid'),
  event: hidden('string'),
  eventId: hidden('uuid'),
  status: hidden('string', { initial: 'pending' }).as<EnumValue<'WebhookDeliveryStatus'>>(),
  attempts: hidden('integer', { initial: 0 }),
  /** Null when no attempt follows. */
  nextAttemptAt: hidden('datetime', { nullable: true }),
  /** Id of the current lease; null without one. */
  leasedBy: hidden('uuid', { nullable: true }),
  leasedUntil: hidden('datetime', { nullable: true }),
  /** Leases that expired without a result, because the process ended or could not record it. */
  losses: hidden('integer', { initial: 0, lazy: true }),
  responseStatus: hidden('integer', { nullable: true }),
  lastError: hidden('text', { nullable: true }),
  /** The trace of the event as a `traceparent`, which the attempts continue. */
  trace: hidden('text', { nullable: true, lazy: true }),
  createdAt: hidden('datetime', { initial: clock.now }),
}) {}

/** The result of one attempt to send a delivery. */
@Table('webhooks.attempts')
export class Attempt extends columns(Owned, {
  deliveryId: hidden('uuid'),
  subscriptionId: hidden('uuid'),
  /** Number among the attempts of the subscription, in the order of their commits. */
  sequence: hidden('integer'),
  number: hidden('integer'),
  responseStatus: hidden('integer', { nullable: true }),
  responseSnippet: hidden('text', { nullable: true }),
  error: hidden('text', { nullable: true }),
  durationMs: hidden('integer'),
  at: hidden('datetime', { initial: clock.now }),
}) {}

// Several subgraphs have replays.
@Directive('@shareable')
@ObjectType({ description: 'A replay of many deliveries, which runs in the background.' })
@Table('webhooks.replays')
export class DeliveryReplay extends columns(Owned, {
  subscriptionId: hidden('uuid'),
  statuses: hidden('array'),
  status: column(enumTypes.ReplayStatus),
  from: column('datetime', 'Start of the period, inclusive.'),
  to: column('datetime', 'End of the period, exclusive.'),
  total: column('integer', 'Number of matching deliveries when the replay started.'),
  scheduled: column('integer', 'Number of deliveries that were scheduled so far, oldest first.'),
  createdAt: column('datetime'),
  endedAt: column('datetime', { nullable: true, description: 'Null while the replay is running.' }),
}) {}

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
