import { Authorized, Ctx, ObjectType, Query, Resolver } from 'type-graphql';
import { query, sql } from '../../../platform/database/index.ts';
import { field, output } from '../../../platform/fields/index.ts';
import type { RequestScope, Scope } from '../../../platform/scope/index.ts';

@ObjectType({ description: 'The first steps that an organization has taken with its catalog.' })
class FirstSteps extends output({
  attributes: field(Boolean, 'It has attributes of products.'),
  products: field(Boolean, 'It has products, or has imported a file.'),
  enrichment: field(Boolean, 'It has started an enrichment of products.'),
  review: field(Boolean, 'A member has reviewed or edited a value that a job wrote.'),
}) {}

async function readSteps({ em, organizationId }: Scope): Promise<FirstSteps> {
  const [steps] = await query(
    em,
    sql<FirstSteps>`select
         exists (select from catalog.attributes where organization_id = ${organizationId} and subject = 'product') as attributes,
         exists (select from catalog.products where organization_id = ${organizationId})
           or exists (select from catalog.jobs where organization_id = ${organizationId} and kind = 'ai-import') as products,
         exists (select from catalog.jobs where organization_id = ${organizationId} and kind = 'product-enrichment') as enrichment,
         exists (select from catalog.confidence_labels where organization_id = ${organizationId} and kind <> 'validation') as review`,
  );
  return steps!;
}

@Resolver()
export class FirstStepsResolver {
  @Authorized('member')
  @Query(() => FirstSteps, { description: 'The first steps of the organization with its catalog.' })
  firstSteps(@Ctx() scope: RequestScope) {
    return readSteps(scope);
  }
}
