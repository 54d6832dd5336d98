import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { isId, readRows } from '../../../platform/database/index.ts';
import { User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { Attribute } from '../attributes/entity.ts';
import { USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { attributesOf, provenanceOf } from '../products/details.ts';
import { Product } from '../products/entity.ts';
import { Proposal } from '../review/entity.ts';
import { StoredValue, storedValues, ValueDecision } from './types.ts';

@Resolver(() => StoredValue)
export class StoredValueResolver {
  @FieldResolver(() => Attribute, { nullable: true, description: 'Null if the organization has no such attribute.' })
  attribute(@Ctx() scope: RequestScope, @Root() { attributeId, organizationId }: StoredValue) {
    // Callers may write any text as the id of an attribute.
    return attributeId && isId(attributeId) ? scope.within(organizationId).load(Attribute, attributeId.toLowerCase()) : null;
  }

  @FieldResolver(() => String, { nullable: true, description: 'The unit of the attribute.' })
  unit(@Ctx() scope: RequestScope, @Root() { slug, organizationId }: StoredValue): Promise<string | null> {
    return unitOf(scope.within(organizationId), slug);
  }

  @FieldResolver(() => Job, { nullable: true, description: 'The job that wrote the value.' })
  job(@Ctx() scope: RequestScope, @Root() { jobId, organizationId }: StoredValue) {
    return jobId ? scope.within(organizationId).load(Job, jobId) : null;
  }

  @FieldResolver(() => JobItem, { nullable: true, description: 'The job item that wrote the value.' })
  item(@Ctx() scope: RequestScope, @Root() { itemId, organizationId }: StoredValue) {
    return itemId ? scope.within(organizationId).load(JobItem, itemId) : null;
  }

  @FieldResolver(() => ValueDecision, { nullable: true, description: 'Null until the value is reviewed.' })
  decision(@Ctx() scope: RequestScope, @Root() value: StoredValue) {
    return decisionOf(scope.within(value.organizationId), value);
  }
}

@Resolver(() => Product)
export class ProductValuesResolver {
  @ListSize(USUAL_PROVENANCE)
  @FieldResolver(() => [StoredValue], { description: 'The attribute values with their definitions and origins.' })
  async values(@Ctx() scope: RequestScope, @Root() { id, organizationId }: Product): Promise<StoredValue[]> {
    const inner = scope.within(organizationId);
    const [values, provenance] = await Promise.all([attributesOf(inner, id), provenanceOf(inner, id)]);
    // Null if the product was deleted meanwhile.
    return storedValues(organizationId, values ?? {}, provenance ?? {});
  }
}

const UNIT_COLUMNS = ['slug', 'unit'] as const;

async function unitOf(scope: RequestScope, slug: string): Promise<string | null> {
  const read = scope.batch('units of attributes', async (slugs) => {
    const matching = () => 'r.unit is not null';
    const found = await readRows(scope, Attribute, { columns: UNIT_COLUMNS, where: { subject: 'product', slug: slugs }, matching });
    return new Map(found.map(({ slug: each, unit }) => [each, unit]));
  });
  return (await read(slug)) ?? null;
}

const COLUMNS = ['itemId', 'slug', 'verdict', 'reviewedById', 'reviewedAt'] as const;

async function decisionOf(scope: RequestScope, { itemId, slug }: StoredValue): Promise<ValueDecision | null> {
  if (!itemId) return null;
  const read = scope.batch('decisions of items', async (ids) => {
    const matching = () => 'r.verdict is not null';
    const found = await readRows(scope, Proposal, { columns: COLUMNS, where: { itemId: ids }, matching });
    return Map.groupBy(found, (proposal) => proposal.itemId);
  });
  const decided = (await read(itemId))?.find((each) => each.slug === slug);
  if (!decided) return null;
  const decidedBy = decided.reviewedById ? await scope.load(User, decided.reviewedById) : null;
  return { verdict: decided.verdict!, decidedBy, decidedAt: decided.reviewedAt! };
}
