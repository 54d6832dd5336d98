import { deliveriesOf } from '../../common/webhooks/deliveries.ts';

/** The operations on deliveries of event subscriptions. */
export const deliveries = deliveriesOf('integration');
