import type { Pool } from 'pg';
import { Arg, Authorized, Ctx, FieldResolver, Float, ID, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { deleteOld, query, sql } from '../../../platform/database/index.ts';
import { field, Id, output } from '../../../platform/fields/index.ts';
import { User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';
import type { AttributeValue } from '../attributes/attribute-content.ts';
import { AttributeValueType } from '../attributes/value-types.ts';
import { JobItem } from '../jobs/entity.ts';
import { findProduct } from '../products/service.ts';

@ObjectType({
  description: 'A change of one value of a product: by a user, also with a bulk edit or an import, or by another job.',
})
export class ValueChange extends output({
  id: field(ID),
  at: field(Date),
  value: field(AttributeValueType, {
    nullable: true,
    description: 'The value since then. Null if it was removed.',
  }).as<AttributeValue>(),
  before: field(AttributeValueType, {
    nullable: true,
    description: 'The value before a change by a user. Null for none, and for jobs.',
  }).as<AttributeValue>(),
  confidence: field(Float, { nullable: true, description: 'The confidence of the job, 0 to 100.' }),
}) {
  userId!: string | null;

  itemId!: string | null;
}

const MAX_CHANGES = 100;

/** The newest changes of a value. Throws `NOT_FOUND` for an unknown product. */
async function historyOf(scope: Scope, id: string, slug: string): Promise<ValueChange[]> {
  const { id: productId } = await findProduct(scope, id);
  const { em, organizationId } = scope;
  const changes = await query(
    em,
    sql<Omit<ValueChange, 'at'> & { at: string }>`select id, at, value, before, confidence, "userId", "itemId" from (
         (select id, changed_at as at, after as value, before, null::float8 as confidence, user_id as "userId", null::uuid as "itemId"
            from catalog.value_changes where organization_id = ${organizationId} and product_id = ${productId} and slug = ${slug}
           order by changed_at desc, id desc limit ${MAX_CHANGES})
         union all
         (select id, enriched_at, attributes -> ${slug}::text, null, (provenance -> ${slug}::text ->> 'confidence')::float8, null, job_item_id
            from catalog.enrichment_history
           where organization_id = ${organizationId} and product_id = ${productId} and provenance ? ${slug}::text
           order by enriched_at desc, id desc limit ${MAX_CHANGES})
       ) as changes order by at desc, id desc limit ${MAX_CHANGES}`,
  );
  return changes.map(({ at, ...change }) => ({ ...change, at: new Date(at) }));
}

/** As long as the audit log. */
const DAYS = 400;
const EXPIRED = `
  delete from catalog.value_changes where id in (
    select id from catalog.value_changes where changed_at < now() - interval '1 day' * $1
     order by changed_at limit $2 for update skip locked)`;

/** Forget old changes of values, and return their number. */
export const forgetValueChanges = (pool: Pool, days = DAYS): Promise<number> => deleteOld(pool, EXPIRED, days);

@Resolver(() => ValueChange)
export class ValueHistoryResolver {
  @Authorized('member')
  @ListSize(20)
  @Query(() => [ValueChange], {
    nullable: true,
    description:
      'The changes of one value of a product by users and enrichments, newest first, at most 100. Those by users are kept for 400 days.',
  })
  valueHistory(
    @Ctx() scope: RequestScope,
    @Id('productId') productId: string,
    @Arg('slug', () => String, { description: 'The slug of the attribute.' }) slug: string,
  ) {
    return historyOf(scope, productId, slug);
  }

  @FieldResolver(() => User, { nullable: true, description: 'Null for jobs.' })
  user(@Ctx() scope: RequestScope, @Root() { userId }: ValueChange) {
    return userId ? scope.load(User, userId) : null;
  }

  @FieldResolver(() => JobItem, { nullable: true, description: 'The job item that wrote the value.' })
  item(@Ctx() scope: RequestScope, @Root() { itemId }: ValueChange) {
    return itemId ? scope.load(JobItem, itemId) : null;
  }
}
