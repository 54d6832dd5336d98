/** Everything that runs in Temporal's workflow sandbox. */
export { sweepEvidence } from './evidence/workflow.ts';
export { runJob } from './job/workflow.ts';
export { sweepWebhooks } from './webhook-delivery/workflow.ts';
