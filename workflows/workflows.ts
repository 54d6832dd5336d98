/** Everything that runs in Temporal's workflow sandbox. */
export { runJob } from './job/workflow.ts';
export { sweepWebhooks } from './webhook-delivery/workflow.ts';
