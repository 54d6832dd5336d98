/** All workflows, which run in Temporal's sandbox. */
export { runJob } from './job/workflow.ts';
export { indexSource } from './source/workflow.ts';
export { sweep } from './sweeps/workflow.ts';
export { runTests } from './test-run/workflow.ts';
