import { Args, Ctx, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { nameOf } from '../../../platform/database/index.ts';
import { args, field, list, output } from '../../../platform/fields/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { attributeLimits } from '../../../schema/scalar-schemas.ts';
import { type AttributeValues, AttributeValuesScalar } from '../attributes/attribute-content.ts';
import { Product } from '../products/entity.ts';

/** Attributes of one table, characters of a text, and characters of a list as JSON. */
const [MAX_SLUGS, MAX_TEXT, MAX_LIST] = [30, 500, 2_000];

@ObjectType({ description: 'Some values of a product, for a table of products.' })
export class ListedValues extends output({
  values: field(
    AttributeValuesScalar,
    'The values that the product has. A text ends after 500 characters; a list of more than 2,000 characters is null.',
  ).as<AttributeValues>(),
  cut: list(String, 'The slugs of the values that are not complete here.'),
}) {}

class ListedValuesArguments extends args({
  slugs: list(String, { maxItems: MAX_SLUGS, maxLength: attributeLimits.key, description: 'The slugs of the attributes.' }),
}) {}

@Resolver(() => Product)
export class ListedValuesResolver {
  @FieldResolver(() => ListedValues, { description: 'The values of up to 30 attributes.' })
  async listedValues(
    @Ctx() scope: RequestScope,
    @Root() { id, organizationId }: Product,
    @Args(() => ListedValuesArguments) { slugs }: ListedValuesArguments,
  ): Promise<ListedValues> {
    const found = slugs.length > 0 ? await readListed(scope.within(organizationId), id, slugs) : null;
    return found ?? { values: {}, cut: [] };
  }
}

/** Reads the values of all products of a page by one statement, which unpacks each product once. */
const LISTED = `
  select p.id, v.key as slug, v.value - 'value' as meaning, isCut as "isCut",
         case when not isCut then v.value -> 'value' when jsonb_typeof(v.value -> 'value') = 'string'
              then to_jsonb(left(v.value ->> 'value', ${MAX_TEXT})) end as content
    from catalog.products p
   cross join lateral jsonb_each(p.attributes) v
   cross join lateral (select case jsonb_typeof(v.value -> 'value') when 'string' then length(v.value ->> 'value') > ${MAX_TEXT}
                                   when 'array' then length(v.value ->> 'value') > ${MAX_LIST} else false end as isCut) c
   where p.id = any($1::uuid[]) and p.organization_id = $2 and v.key = any($3::text[])`;

interface Listed {
  id: string;
  slug: string;
  meaning: Omit<AttributeValues[string], 'value'>;
  content: AttributeValues[string]['value'];
  isCut: boolean;
}

function readListed(scope: RequestScope, id: string, slugs: readonly string[]): Promise<ListedValues | null> {
  const { services, organizationId, signal, budget } = scope;
  const read = scope.batch(`listed values ${JSON.stringify(slugs)}`, async (ids) => {
    const statement = { name: nameOf(LISTED), text: LISTED, values: [ids, organizationId, slugs] };
    const { rows } = await services.statements.run<Listed>(statement, signal, budget);
    const byProduct = new Map<string, ListedValues>();
    for (const { id: product, slug, meaning, content, isCut } of rows) {
      const listed = byProduct.get(product) ?? { values: {}, cut: [] };
      byProduct.set(product, listed);
      listed.values[slug] = { ...meaning, value: content };
      if (isCut) listed.cut.push(slug);
    }
    return byProduct;
  });
  return read(id);
}
