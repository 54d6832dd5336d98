import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/postgresql';
import type { GraphQLResolveInfo } from 'graphql';
import { type Bind, clock, findById, type StoredCount } from '../../../platform/database/index.ts';
import { type CursorRequest, listByCursor, type OrderedRows } from '../../../platform/lists/index.ts';
import { cleanAll, sanitizeOrStrip } from '../../../platform/reading/index.ts';
import { type RequestScope, type Scope, transaction } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import type { AttributeValue, Provenance } from '../attributes/attribute-content.ts';
import { checkSize } from '../attributes/service.ts';
import { readAttributeValues } from '../attributes/value-faults.ts';
import { type ProvenanceType, provenanceEntry } from '../attributes/value-types.ts';
import { forgetLabels, type JudgedValue, labelValues } from '../calibration/calibrate.ts';
import { JobItem } from '../jobs/entity.ts';
import { findJob } from '../jobs/service.ts';
import { Product } from '../products/entity.ts';
import { attributesOf } from '../products/product-list.ts';
import { Counter } from '../stats/entity.ts';
import { type Decision, Proposal, type Review, type ReviewFilter } from './entity.ts';

/** The current value of the product. Batches all products of a page into one query. */
export async function currentOf(scope: RequestScope, { productId, slug }: Proposal): Promise<AttributeValue | null> {
  return (await attributesOf(scope, productId))?.[slug] ?? null;
}

export async function provenanceOf(scope: RequestScope, { itemId, slug }: Proposal): Promise<ProvenanceType | null> {
  const provenance = (await scope.load(JobItem, itemId))?.provenance?.[slug];
  return provenance ? provenanceEntry(slug, provenance) : null;
}

/**
 * Applies all decisions on the values of an item, or none. Throws `NOT_FOUND` for an unknown item, and `UNPROCESSABLE` for a value that
 * the item did not find. Throws `CONFLICT` if the product changed, a later job replaced a value, or a value has another verdict.
 */
export const reviewItem = async (scope: RequestScope, review: Review): Promise<JobItem> => (await applyReview(scope, review)).item;

/**
 * Like `reviewItem`. `decided` are the slugs of the decisions without those that another request made before.
 * @param kind `bulk` if the decisions concern all values of a filter
 */
export async function applyReview(
  scope: RequestScope,
  { itemId, decisions }: Review,
  kind: 'review' | 'bulk' = 'review',
): Promise<{ item: JobItem; decided: string[] }> {
  const item = await findById(scope.em, JobItem, itemId, 'Item');
  if (new Set(decisions.map(({ slug }) => slug)).size < decisions.length)
    throw fail('INVALID_INPUT', 'decisions must name each attribute once');
  const clean = await cleanEdits(scope, itemId, decisions);
  const decided = await transaction(scope, async (inner) => {
    const { product, proposals } = await lockValues(inner, item);
    const labels: JudgedValue[] = [];
    const changed: string[] = [];
    for (const decision of decisions) {
      const proposal = proposals.get(decision.slug);
      if (!proposal) throw notOpen(item, decision.slug);
      if (isRepeated(proposal, decision)) continue;
      const origin = item.provenance?.[decision.slug];
      const isRight = decision.verdict === 'accept' || isDeepStrictEqual(decision.value, proposal.proposed.value);
      if (origin) labels.push({ slug: decision.slug, origin, isRight: isRight && decision.verdict !== 'reject' });
      await decide(scope, product, { proposal, written: origin, clean }, decision);
      Object.assign(proposal, {
        verdict: decision.verdict,
        reviewedById: scope.caller.userId,
        reviewedAt: clock.now(),
        ruleId: null,
      });
      changed.push(decision.slug);
    }
    if (changed.length > 0) product.updatedAt = clock.now();
    await labelValues(inner, kind, labels);
    return changed;
  });
  return { item, decided };
}

/** The product of an item and the values that the item wrote, by slug. Throws `CONFLICT` if the product was deleted. */
async function lockValues(
  { em }: Scope,
  { id, productId }: JobItem,
): Promise<{ product: Product; proposals: Map<string, Proposal> }> {
  const product = productId
    ? await em.findOne(Product, productId, {
        populate: ['attributes', 'provenance'],
        lockMode: LockMode.PESSIMISTIC_WRITE,
        refresh: true,
      })
    : null;
  if (!product) throw fail('CONFLICT', 'The product has been deleted.');
  // Read after the lock of the product, so that verdicts of concurrent requests are known.
  const found = await em.find(Proposal, { itemId: id }, { refresh: true });
  return { product, proposals: new Map(found.map((proposal) => [proposal.slug, proposal])) };
}

/**
 * Returns reviewed values of an item to the queue, with the value and origin that the job wrote. Returns the slugs without those that are
 * open already. Throws `CONFLICT` if a value has changed since its review, or a later job has written it.
 */
export async function undoReview(scope: RequestScope, itemId: string, slugs: string[]): Promise<string[]> {
  const item = await findById(scope.em, JobItem, itemId, 'Item');
  return transaction(scope, async (inner) => {
    const { product, proposals } = await lockValues(inner, item);
    const reviewed = slugs
      .map((slug) => proposals.get(slug) ?? refuse(notOpen(item, slug)))
      .filter(({ verdict }) => verdict !== null);
    const changed = reviewed.map(({ slug }) => slug);
    const [later] = await inner.em.find(Proposal, { productId: product.id, slug: changed, verdict: null }, { limit: 1 });
    if (later) throw fail('CONFLICT', `A later job has written the value of ${later.slug}.`);
    for (const proposal of reviewed) {
      const { slug, proposed } = proposal;
      const { [slug]: current, ...others } = product.attributes;
      const { [slug]: origin, ...otherOrigins } = product.provenance;
      if (!isUnchanged(proposal, current, origin)) throw fail('CONFLICT', `The value of ${slug} has changed since its review.`);
      const written = item.provenance?.[slug];
      product.attributes = checkSize({ ...others, [slug]: proposed });
      product.provenance = written ? { ...otherOrigins, [slug]: written } : otherOrigins;
      Object.assign(proposal, { verdict: null, reviewedById: null, reviewedAt: null, ruleId: null });
    }
    if (changed.length > 0) product.updatedAt = clock.now();
    await forgetLabels(inner, itemId, changed);
    return changed;
  });
}

function refuse(error: Error): never {
  throw error;
}

const notOpen = ({ provenance }: JobItem, slug: string) =>
  provenance?.[slug]
    ? fail('CONFLICT', `The value of ${slug} cannot be reviewed: a later job replaced it, or the item did not write it.`)
    : fail('UNPROCESSABLE', `The item wrote no value for ${slug}.`);

/** Whether a person already gave this verdict. Throws `CONFLICT` for another verdict of a person that the decision does not overrule. */
function isRepeated({ verdict: known, ruleId }: Proposal, { slug, verdict, overrule }: Decision): boolean {
  if (known === null || ruleId !== null) return false;
  if (known === verdict && verdict !== 'edit') return true;
  if (!overrule) throw fail('CONFLICT', `The value of ${slug} was already reviewed: ${known}.`);
  return false;
}

/** The clean HTML of edits by what the caller sent. Read before the transaction, which must not wait for a thread. */
async function cleanEdits(
  { em, organizationId }: Scope,
  itemId: string,
  decisions: readonly Decision[],
): Promise<Map<string, string>> {
  const sent = decisions.flatMap(({ slug, verdict, value }) =>
    verdict === 'edit' && typeof value === 'string' ? [{ slug, value }] : [],
  );
  if (sent.length === 0) return new Map();
  const found = await em.find(Proposal, { itemId });
  const isHtml = new Set(found.flatMap(({ slug, proposed }) => (proposed.attributeType === 'html' ? [slug] : [])));
  const texts = sent.flatMap(({ slug, value }) => (isHtml.has(slug) ? [value] : []));
  const cleaned = await cleanAll(organizationId, texts);
  return new Map(texts.map((text, at) => [text, cleaned[at]!]));
}

/** @param written the origin of the value that the job wrote */
async function decide(
  scope: Scope,
  product: Product,
  { proposal, written, clean }: { proposal: Proposal; written?: Provenance; clean: ReadonlyMap<string, string> },
  { slug, verdict, value }: Decision,
): Promise<void> {
  const { [slug]: current, ...others } = product.attributes;
  const { [slug]: origin, ...otherOrigins } = product.provenance;
  if (!isUnchanged(proposal, current, origin)) throw fail('CONFLICT', `The value of ${slug} has changed since the item wrote it.`);
  const at = clock.now().toISOString();
  if (verdict === 'accept') {
    const isReplaced = proposal.verdict === 'reject' || proposal.verdict === 'edit';
    if (isReplaced) product.attributes = checkSize({ ...others, [slug]: proposal.proposed });
    const accepted = isReplaced ? written : origin;
    if (accepted) {
      const { acceptedBy: _, ...found } = accepted;
      product.provenance = { ...otherOrigins, [slug]: { ...found, reviewedAt: at } };
    }
    return;
  }
  if (verdict === 'reject') {
    product.attributes = proposal.base ? { ...others, [slug]: proposal.base } : others;
    product.provenance = proposal.baseProvenance ? { ...otherOrigins, [slug]: proposal.baseProvenance } : otherOrigins;
    return;
  }
  if (value === undefined || value === null) throw fail('INVALID_INPUT', 'decisions.value is required to edit');
  const [edited] = await readAttributeValues(scope, [{ [slug]: { ...proposal.proposed, value } }], {
    path: 'decisions',
    // The type of a proposed value never changes.
    clean: async (texts) => texts.map((text) => clean.get(text) ?? sanitizeOrStrip(text)),
  });
  product.attributes = checkSize({ ...others, ...edited });
  const reviewed = { sourceKind: 'review', sourceUrl: null, snippet: null, contentHash: null, confidence: 100 };
  product.provenance = {
    ...otherOrigins,
    [slug]: { jobId: proposal.jobId, itemId: proposal.itemId, model: written?.model ?? 'review', ...reviewed, at, reviewedAt: at },
  };
}

/** Whether the product still holds the value of the job, or the value that the overruled verdict left. */
function isUnchanged({ itemId, verdict, proposed, base }: Proposal, current?: AttributeValue, origin?: Provenance): boolean {
  if (verdict === 'edit') return origin?.sourceKind === 'review' && origin.itemId === itemId;
  return isDeepStrictEqual(current ?? null, verdict === 'reject' ? base : proposed);
}

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
  return listByCursor(scope, Proposal, openProposals(filter), page, info, storedCountOf(filter));
}

function storedCountOf({ attribute, ...others }: ReviewFilter): StoredCount<Counter> | undefined {
  if (Object.values(others).some((each) => each != null)) return undefined;
  return { entity: Counter, sum: 'count', where: { kind: 'review', key: attribute ?? undefined } };
}
