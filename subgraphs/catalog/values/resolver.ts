import { Args, Authorized, Ctx, FieldResolver, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { isId, nameOf, readRows } from '../../../platform/database/index.ts';
import { args, field, list, output, refuseFaults } from '../../../platform/fields/index.ts';
import { User } from '../../../platform/identity/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { attributeLimits, enumTypes } from '../../../schema/scalars.ts';
import {
  type AttributeContent,
  AttributeContentScalar,
  type AttributeValues,
  AttributeValuesScalar,
} from '../attributes/attribute-content.ts';
import { Attribute } from '../attributes/entity.ts';
import { USUAL_PROVENANCE } from '../attributes/value-types.ts';
import { readCell } from '../imports/cells.ts';
import { markOf } from '../imports/mapping.ts';
import { Job, JobItem } from '../jobs/entity.ts';
import { Product } from '../products/entity.ts';
import { attributesOf, provenanceOf } from '../products/product-list.ts';
import { Proposal } from '../review/entity.ts';
import { decimalMarks } from '../uploads/decimal-marks.ts';
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

/** Attributes of one table, characters of a text, and characters of a list as JSON. */
const [MAX_SLUGS, MAX_TEXT, MAX_LIST] = [30, 500, 2_000];

@ObjectType({ description: 'Some values of a product, for a table of products.' })
class ListedValues extends output({
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

/** Columns and rows of a block, and its cells together. */
const [MAX_COLUMNS, MAX_ROWS, MAX_CELLS] = [30, 1_000, 5_000];

class BlockArguments extends args({
  slugs: list(String, {
    minItems: 1,
    maxItems: MAX_COLUMNS,
    maxLength: attributeLimits.key,
    description: 'The slug of the attribute of each column.',
  }),
  cells: list(String, {
    minItems: 1,
    maxItems: MAX_CELLS,
    maxLength: attributeLimits.text,
    description: 'The cells, row by row: at most 1,000 rows and 5,000 cells.',
  }),
  decimalMark: field(enumTypes.DecimalMark, {
    nullable: true,
    description: 'By default, the mark that the cells of the column show.',
  }),
}) {}

@ObjectType({ description: 'The reading of a cell that was copied from a spreadsheet.' })
class CellValue extends output({
  value: field(AttributeContentScalar, {
    nullable: true,
    description: 'Null for an empty cell, and for one that cannot be read.',
  }).as<AttributeContent>(),
  problem: field(String, {
    nullable: true,
    description: 'Why the cell has no value: it has another type or unit, several readings, or breaks a limit.',
  }),
}) {}

@Resolver()
export class CellReadingResolver {
  /** Throws `NOT_FOUND` for an unknown attribute. */
  @Authorized('member')
  @ListSize(MAX_CELLS)
  @Query(() => [CellValue], {
    description:
      'The cells of a block as values of attributes, row by row, as an import reads them. A cell that has two readings has none. Changes nothing.',
  })
  async cellValues(
    @Ctx() { em }: RequestScope,
    @Args(() => BlockArguments) { slugs, cells, decimalMark }: BlockArguments,
  ): Promise<CellValue[]> {
    const width = slugs.length;
    if (cells.length % width !== 0) refuseFaults(['cells must have the same number of cells in each row']);
    if (cells.length / width > MAX_ROWS) refuseFaults([`cells must have at most ${MAX_ROWS} rows`]);
    const found = await em.find(Attribute, { subject: 'product', slug: { $in: slugs } });
    const attributes = slugs.map((slug) => found.find((each) => each.slug === slug) ?? throwUnknown(slug));
    const rows = Array.from({ length: cells.length / width }, (_, at) => cells.slice(at * width, (at + 1) * width));
    const shown = decimalMarks(rows);
    return cells.map((cell, at) => {
      const column = at % width;
      const mark = markOf(decimalMark ?? null) ?? shown[column] ?? null;
      const reading = readCell(cell, attributes[column]!, { mark, unit: null });
      return 'value' in reading ? { value: reading.value, problem: null } : { value: null, problem: reading.question };
    });
  }
}

function throwUnknown(slug: string): never {
  throw fail('NOT_FOUND', `Attribute not found: ${slug}`);
}
