/** All workflows, which run in Temporal's sandbox. */
export { sweepOrganizationChanges } from './changes/workflow.ts';
export { sweepEvidence } from './evidence/workflow.ts';
export { sweepIdentity } from './identity/workflow.ts';
export { runJob } from './job/workflow.ts';
export { sweepPublications } from './site-publication/workflow.ts';
export { indexSource } from './source/workflow.ts';
export { sweepSources } from './source-refresh/workflow.ts';
export { sweepToolCalls } from './tool-calls/workflow.ts';
export { sweepWebhooks } from './webhook-delivery/workflow.ts';
