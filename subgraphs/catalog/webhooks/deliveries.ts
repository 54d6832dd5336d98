import { deliveriesOf } from '../../../platform/webhooks/index.ts';

/** The operations on deliveries of catalog webhooks. */
export const deliveries = deliveriesOf('catalog');
