import type { GraphQLResolveInfo } from 'graphql';
import type { Bind, Tally } from '../../../platform/database/index.ts';
import { type CursorRequest, listByCursor, type OrderedRows } from '../../../platform/lists/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { findJob } from '../jobs/service.ts';
import { Counter } from '../stats/entity.ts';
import { Proposal } from './entity.ts';
import type { ReviewFilter } from './types.ts';

const LIST_COLUMNS = [
  ...(['itemId', 'slug', 'organizationId', 'jobId', 'productId', 'confidence', 'proposed', 'base'] as const),
  ...(['verdict', 'reviewedAt'] as const),
];

/** Values without a verdict, least confident first. */
export function openProposals({
  jobId,
  attribute,
  category,
  confidenceBelow,
  confidenceFrom,
}: ReviewFilter): OrderedRows<Proposal> {
  const conditions = (bind: Bind) => [
    ...(category == null ? [] : [`r.category_key is not null and r.category_key = catalog.name_key(${bind(category)}::text)`]),
    ...(confidenceBelow == null ? [] : [`r.confidence < ${bind(confidenceBelow)}::float8`]),
    ...(confidenceFrom == null ? [] : [`r.confidence >= ${bind(confidenceFrom)}::float8`]),
  ];
  return {
    columns: LIST_COLUMNS,
    where: { verdict: null, jobId: jobId ?? undefined, slug: attribute ?? undefined },
    matching: conditions(() => '').length > 0 ? (bind) => conditions(bind).join(' and ') : undefined,
    orderBy: { confidence: 'asc', itemId: 'asc', slug: 'asc' },
  };
}

/** Throws `NOT_FOUND` for an unknown job. */
export async function listQueue(scope: Scope, filter: ReviewFilter, page: CursorRequest, info: GraphQLResolveInfo) {
  if (filter.jobId != null) await findJob(scope, filter.jobId);
  return listByCursor(scope, Proposal, openProposals(filter), page, info, tallyOf(filter));
}

function tallyOf({ attribute, ...others }: ReviewFilter): Tally<Counter> | undefined {
  if (Object.values(others).some((each) => each != null)) return undefined;
  return { entity: Counter, sum: 'count', where: { kind: 'review', key: attribute ?? undefined } };
}
