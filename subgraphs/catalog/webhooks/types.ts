import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { wordTypes } from '../../../schema/scalars.ts';
import type { Word } from '../../../schema/words.ts';
import { Limited } from '../../common/limits.ts';
import { PageOf, pageArguments } from '../../common/page.ts';

@ObjectType({ description: 'An address that is called when something happens to jobs.' })
export class Webhook {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  url!: string;

  @Field(() => wordTypes.WebhookMethod)
  method!: Word<'WebhookMethod'>;

  @Field(() => [wordTypes.WebhookEvent], { description: 'What it is called for.' })
  eventType!: Word<'WebhookEvent'>[];

  @Field(() => Boolean)
  enabled!: boolean;

  @Field(() => Date)
  createdAt!: Date;

  @Field(() => Date)
  updatedAt!: Date;
}

@ObjectType({ description: 'A new webhook with its signing secret.' })
export class CreatedWebhook extends Webhook {
  @Field(() => String, {
    nullable: true,
    description:
      'The key of `x-svc-signature`. Store it now: it cannot be read again. Null in the answer to a repeated `Idempotency-Key`.',
  })
  secret!: string | null;
}

@ObjectType()
export class DeletedWebhook {
  @Field(() => Boolean)
  deleted!: boolean;
}

const ADDRESS = 'A valid http or https URL on the public internet, or one that the operator lists.';

@InputType({ description: 'A webhook to create.' })
export class NewWebhook {
  @Limited({ minLength: 1, maxLength: 2_048, format: 'uri' })
  @Field(() => String, { description: ADDRESS })
  url!: string;

  @Field(() => wordTypes.WebhookMethod, { defaultValue: 'post' })
  method!: Word<'WebhookMethod'>;

  @Limited({ minItems: 1, maxItems: 100 })
  @Field(() => [wordTypes.WebhookEvent], { description: 'Each counts once.' })
  eventType!: Word<'WebhookEvent'>[];

  @Field(() => Boolean, { defaultValue: true })
  enabled!: boolean;
}

@InputType({ description: 'What may change on a webhook. A field that is not sent stays as it is; none may be null.' })
export class WebhookChange {
  @Limited({ minLength: 1, maxLength: 2_048, format: 'uri' })
  @Field(() => String, { nullable: true, description: ADDRESS })
  url?: string | null;

  @Field(() => wordTypes.WebhookMethod, { nullable: true })
  method?: Word<'WebhookMethod'> | null;

  @Limited({ minItems: 1, maxItems: 100 })
  @Field(() => [wordTypes.WebhookEvent], { nullable: true, description: 'Each counts once.' })
  eventType?: Word<'WebhookEvent'>[] | null;

  @Field(() => Boolean, { nullable: true })
  enabled?: boolean | null;
}

@ObjectType({ description: 'One sending of a delivery.' })
export class WebhookAttempt {
  @Field(() => ID)
  id!: string;

  @Field(() => Int, { description: 'Counts from 1, replays included.' })
  number!: number;

  @Field(() => Int, { nullable: true, description: 'Null when nobody answered.' })
  responseStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'The beginning of what the receiver answered.' })
  responseSnippet!: string | null;

  @Field(() => String, { nullable: true, description: 'Why it failed.' })
  error!: string | null;

  @Field(() => Int)
  durationMs!: number;

  @Field(() => Date)
  at!: Date;
}

@ObjectType({ description: 'One event for one webhook.' })
export class WebhookDelivery {
  @Field(() => ID, { description: 'The value of `x-svc-delivery`, the same over attempts and replays.' })
  id!: string;

  @Field(() => wordTypes.WebhookEvent)
  event!: Word<'WebhookEvent'>;

  @Field(() => String, { description: 'The body, to the byte.' })
  body!: string;

  @Field(() => wordTypes.WebhookDeliveryStatus)
  status!: Word<'WebhookDeliveryStatus'>;

  @Field(() => Int, { description: 'How often it was sent.' })
  attempts!: number;

  @Field(() => Int, { nullable: true, description: 'The last status that the receiver answered.' })
  responseStatus!: number | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed.' })
  lastError!: string | null;

  @Field(() => Date, { nullable: true, description: 'Null once it is at its end.' })
  nextAttemptAt!: Date | null;

  @Field(() => Date)
  createdAt!: Date;
}

@ObjectType()
export class WebhookDeliveryPage extends PageOf(WebhookDelivery, 'WebhookDeliveryPage') {}

@ArgsType()
export class WebhookDeliveriesArguments extends pageArguments(20) {
  @Field(() => ID)
  webhookId!: string;
}
