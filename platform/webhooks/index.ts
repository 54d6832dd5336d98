/** Webhook subscriptions and their delivery: an event is stored in the transaction of its cause, delivered at least once, and every attempt is logged. */

export { type Deliverer, type SweepResult, startDeliverer } from './deliverer.ts';
export { deliveriesOf } from './deliveries.ts';
export { newSigningSecret, secretName } from './delivery-attempt.ts';
export { type DeliveryApi, deliveryFields, deliveryOperations } from './delivery-resolver.ts';
export { dropDeliveriesOf, emit } from './emit.ts';
export { DeliveryFields, DeliveryLogArguments, DeliveryUpdateFields, WebhookSubscription } from './entity.ts';
export { disable, enable, findSubscription, resealSigningSecrets } from './subscriptions.ts';
