import { deliveriesOf } from '../../../platform/webhooks/index.ts';

/** The operations on deliveries of event subscriptions. */
export const deliveries = deliveriesOf('integration');
