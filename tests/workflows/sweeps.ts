import type * as workflows from '../../workflows/workflows.ts';

/** The workflows that schedules start. */
export const sweeps = [
  'sweepEvidence',
  'sweepIdentity',
  'sweepOrganizationChanges',
  'sweepPublications',
  'sweepSources',
  'sweepToolCalls',
  'sweepWebhooks',
] as const satisfies (keyof typeof workflows)[];
