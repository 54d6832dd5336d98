import { deliveriesOf } from '../../common/webhooks/deliveries.ts';

/** The operations on deliveries of catalog webhooks. */
export const deliveries = deliveriesOf('catalog');
