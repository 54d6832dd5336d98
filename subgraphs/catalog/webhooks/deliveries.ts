import { deliveriesOf } from '../../common/webhooks/deliveries.ts';
import { samples } from './samples.ts';

/** The operations on deliveries of catalog webhooks. */
export const deliveries = deliveriesOf('catalog', samples);
