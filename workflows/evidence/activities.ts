import type { Pool } from 'pg';
import { forgetEvidence } from '../../subgraphs/catalog/enrichment/evidence-retention.ts';

export type EvidenceActivities = ReturnType<typeof evidenceActivities>;

export const evidenceActivities = (pool: Pool) => ({
  forgetEvidence: () => forgetEvidence(pool),
});
