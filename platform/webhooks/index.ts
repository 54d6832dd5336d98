/** Webhook subscriptions and their delivery: an event is stored in the transaction of its cause, delivered at least once, and every attempt is logged. */
export { newSigningSecret, secretName } from './attempt.ts';
export { type Deliverer, type SweepResult, startDeliverer } from './deliverer.ts';
export { deliveriesOf } from './deliveries.ts';
export { dropDeliveriesOf, emit } from './emit.ts';
export { Attempt, Delivery, DeliveryReplay, WebhookSubscription } from './entity.ts';
export { attemptsOf, bodyOf, MAX_ATTEMPTS } from './log.ts';
export { replayDelivery } from './replay.ts';
export type { ReplayRange } from './replay-range.ts';
export { ReceivedDelivery, SignatureReport } from './signature/types.ts';
export { disable, enable, findSubscription, resealSigningSecrets } from './subscriptions.ts';
export { AFTER, BODY, DeliveryFields, DeliveryLogArguments, DeliveryRange, DeliveryUpdateFields, WebhookAttempt } from './types.ts';
