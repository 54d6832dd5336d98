import { isDeepStrictEqual } from 'node:util';
import { query, sql } from '../../common/database.ts';
import type { Scope } from '../../common/scope.ts';
import type { AttributeValues, Provenance, Provenances } from '../attributes/values.ts';
import type { Job } from '../jobs/entity.ts';

interface Current {
  attributes: AttributeValues;
  provenance: Provenances;
}

/** Selects the values that a job may write to a product. Locks the product until the commit, so that the selection stays correct. */
export async function writableValues(
  { em, organizationId }: Scope,
  { overwrite }: Pick<Job, 'overwrite'>,
  productId: string,
  found: { values: AttributeValues; provenance: Provenances },
): Promise<AttributeValues> {
  const slugs = Object.keys(found.values);
  const [current] = await query(
    em,
    sql<Current>`select coalesce((select jsonb_object_agg(s, attributes -> s) from unnest(${slugs}::text[]) s where attributes ? s), '{}') as attributes,
               coalesce((select jsonb_object_agg(s, provenance -> s) from unnest(${slugs}::text[]) s where provenance ? s), '{}') as provenance
          from catalog.products where id = ${productId} and organization_id = ${organizationId} for update`,
  );
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
