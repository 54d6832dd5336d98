import { isDeepStrictEqual } from 'node:util';
import { queryPrepared, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import type { AttributeValues, Provenance, Provenances } from '../attributes/values.ts';
import type { Job } from '../jobs/entity.ts';
import type { JobItem } from '../jobs/item-entity.ts';

/** Values that an item found for its product. */
export interface Candidate {
  item: JobItem;
  overwrite: Job['overwrite'];
  values: AttributeValues;
  provenance: Provenances;
}

interface Current {
  id: string;
  attributes: AttributeValues;
  provenance: Provenances;
}

/**
 * Selects the values that items may write to their products, in the same order. Locks the products until the commit, so that the
 * selection stays correct.
 */
export async function writableValues({ em, organizationId }: Scope, candidates: readonly Candidate[]): Promise<AttributeValues[]> {
  const wanted = candidates.map(({ item, values }) => ({ id: item.productId, slugs: Object.keys(values) }));
  const rows = await queryPrepared(
    em,
    sql<Current>`select p.id,
               coalesce((select jsonb_object_agg(s, p.attributes -> s) from unnest(g.slugs) s where p.attributes ? s), '{}') as attributes,
               coalesce((select jsonb_object_agg(s, p.provenance -> s) from unnest(g.slugs) s where p.provenance ? s), '{}') as provenance
          from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as g (id uuid, slugs text[])
          join catalog.products p on p.id = g.id and p.organization_id = ${organizationId} order by p.id for update of p`,
  );
  const current = new Map(rows.map((row) => [row.id, row]));
  return candidates.map((each) => writable(each, current.get(each.item.productId!)));
}

function writable({ overwrite, ...found }: Candidate, current: Current | undefined): AttributeValues {
  if (!current) return found.values;
  const isWritable = (slug: string) => {
    if ((current.attributes[slug]?.value ?? null) === null) return true;
    const origin = current.provenance[slug];
    if (overwrite === 'empty') return false;
    if (!isByPerson(origin)) return true;
    // A job that only confirms a value leaves its human origin in place.
    if (isDeepStrictEqual(current.attributes[slug]?.value, found.values[slug]?.value)) return false;
    return overwrite === 'all' && hasEvidence(found.provenance[slug]!);
  };
  return Object.fromEntries(Object.entries(found.values).filter(([slug]) => isWritable(slug)));
}

/** Whether a person wrote or accepted a value. Values written by callers have no provenance. */
const isByPerson = (origin: Provenance | undefined) => !origin || origin.reviewedAt !== undefined || origin.sourceKind === 'review';

const hasEvidence = ({ confidence, evidence }: Provenance) =>
  confidence > 0 && evidence !== 'existing' && evidence !== 'unsupported';
