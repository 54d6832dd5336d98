import { ArgsType, Directive, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { EnumValue } from '../../schema/enums.ts';
import { enumTypes } from '../../schema/scalars.ts';
import { pageArguments } from '../lists/index.ts';

// Several subgraphs have webhooks.
@Directive('@shareable')
@ObjectType({ description: 'One attempt to send a delivery.' })
export class WebhookAttempt {
  @Field(() => ID)
  id!: string;

  @Field(() => Int, { description: 'Starts at 1. Replays count.' })
  number!: number;

  @Field(() => Int, { nullable: true, description: 'HTTP status; null if there was no response.' })
  responseStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'The beginning of the response body.' })
  responseSnippet!: string | null;

  @Field(() => String, { nullable: true, description: 'Why the attempt failed; null if it succeeded.' })
  error!: string | null;

  @Field(() => Int)
  durationMs!: number;

  @Field(() => Date)
  at!: Date;
}

/** Description of the field `body` of a delivery. */
export const BODY =
  'The exact request body. Event data above 256 KiB of JSON omits its largest properties and contains `truncated: true`.';

/** The fields of a delivery on every surface. The surface adds `event`, whose words differ, and `body`. */
@ObjectType()
export abstract class DeliveryFields {
  @Field(() => ID, { description: 'The value of `x-svc-delivery`. It is the same for all attempts and replays.' })
  id!: string;

  @Field(() => ID, { description: 'Id of the event, the same for all subscriptions.' })
  eventId!: string;

  @Field(() => enumTypes.WebhookDeliveryStatus)
  status!: EnumValue<'WebhookDeliveryStatus'>;

  @Field(() => Int, { description: 'Number of attempts.' })
  attempts!: number;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the latest attempt; null if there was no response.' })
  responseStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the latest attempt failed; null if it succeeded.' })
  lastError!: string | null;

  @Field(() => Date, { nullable: true, description: 'Null if no further attempt is scheduled.' })
  nextAttemptAt!: Date | null;

  @Field(() => Date)
  createdAt!: Date;
}

/** The page and the filter of a delivery log. The surface adds `event` and the id of the subscription. */
@ArgsType()
export abstract class DeliveryLogArguments extends pageArguments(20) {
  @Field(() => enumTypes.WebhookDeliveryStatus, { nullable: true, description: 'Only deliveries with this status.' })
  status?: EnumValue<'WebhookDeliveryStatus'> | null;

  @Field(() => Date, { nullable: true, description: 'Only deliveries created at or after this time.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only deliveries created before this time.' })
  to?: Date | null;
}

@InputType({ description: 'The deliveries to replay. Without fields, all that have ended in the last 30 days.' })
export class DeliveryRange {
  @Field(() => Date, { nullable: true, description: 'Only deliveries created at or after this time.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Only deliveries created before this time. Default: now.' })
  to?: Date | null;

  @Field(() => enumTypes.WebhookDeliveryStatus, {
    nullable: true,
    description: 'Only deliveries with this status, except `pending`.',
  })
  status?: EnumValue<'WebhookDeliveryStatus'> | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Only `failed` and `missed` deliveries since failures last disabled the subscription.',
  })
  sinceDisabled?: boolean | null;
}

/** The fields of an update on every surface. The surface adds `delivery`. */
@ObjectType()
export abstract class DeliveryUpdateFields {
  @Field(() => Int, { description: 'Number of the attempt among those of the subscription, without gaps.' })
  sequence!: number;

  @Field(() => Boolean, {
    description: 'Whether the attempt was made before the subscription, which did not resume after a number.',
  })
  isSnapshot!: boolean;

  @Field(() => WebhookAttempt)
  attempt!: WebhookAttempt;
}

/** Description of the argument `after` of a subscription to updates. */
export const AFTER =
  'The last `sequence` that the client received. Without it, and if no attempt has the number yet, the subscription starts with the latest 50 attempts. 0 starts with the first attempt that is stored.';
