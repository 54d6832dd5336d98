import { deliveriesOf } from '../../common/webhooks/deliveries.ts';
import { samples } from './samples.ts';

/** The operations on deliveries of event subscriptions. */
export const deliveries = deliveriesOf('integration', samples);
