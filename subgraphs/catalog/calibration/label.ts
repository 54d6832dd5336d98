import { query, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { Provenance } from '../attributes/values.ts';

/** The judgment on one value that a job wrote. */
export interface Label {
  slug: string;
  origin: Provenance;
  isRight: boolean;
}

/** A decision of a person outweighs a validation. */
type Kind = 'review' | 'edit' | 'validation';

/** Records whether values of jobs were right. The latest decision about a value counts. Runs in the transaction of the decision. */
export async function labelValues({ em, organizationId }: Scope, kind: Kind, labels: readonly Label[]): Promise<void> {
  const rows = labels
    .filter(({ origin }) => origin.sourceKind !== 'variants' && origin.sourceKind !== 'review')
    .map(({ slug, origin: { itemId, confidence, statedConfidence = confidence }, isRight }) => ({
      ...{ slug, item_id: itemId, is_right: isRight },
      ...{ stated: Math.round(statedConfidence), confidence: Math.round(confidence) },
    }));
  if (rows.length === 0) return;
  await query(
    em,
    sql`insert into catalog.confidence_labels as known (item_id, slug, organization_id, tier, stated, confidence, is_right, kind)
        select l.item_id, l.slug, j.organization_id, j.model_type, l.stated, l.confidence, l.is_right, ${kind}
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            as l (item_id uuid, slug text, stated smallint, confidence smallint, is_right boolean)
          join catalog.job_items i on i.id = l.item_id and i.organization_id = ${organizationId}
          join catalog.jobs j on j.id = i.job_id
         order by l.item_id, l.slug
        on conflict (item_id, slug) do update set is_right = excluded.is_right, kind = excluded.kind, labeled_at = excluded.labeled_at
         where ${kind} <> 'validation' or known.kind = 'validation'`,
  );
}
