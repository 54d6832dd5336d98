import { Args, Authorized, Ctx, ObjectType, Query, Resolver } from 'type-graphql';
import { args, field, list, output, refuseFaults } from '../../../platform/fields/index.ts';
import { ListSize } from '../../../platform/lists/index.ts';
import type { RequestScope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { attributeLimits } from '../../../schema/scalar-schemas.ts';
import { enumTypes } from '../../../schema/scalars.ts';
import { type AttributeContent, AttributeContentScalar } from '../attributes/attribute-content.ts';
import { Attribute } from '../attributes/entity.ts';
import { readCell } from '../imports/cells.ts';
import { markOf } from '../imports/mapping.ts';
import { decimalMarks } from '../uploads/decimal-marks.ts';

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
export class CellValue extends output({
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
  @Authorized('member')
  @ListSize(MAX_CELLS)
  @Query(() => [CellValue], {
    description:
      'The cells of a block as values of attributes, row by row, as an import reads them. A cell that has two readings has none. Changes nothing.',
  })
  cellValues(@Ctx() scope: RequestScope, @Args(() => BlockArguments) block: BlockArguments): Promise<CellValue[]> {
    return readBlock(scope, block);
  }
}

/** Throws `NOT_FOUND` for an unknown attribute. */
async function readBlock({ em }: RequestScope, { slugs, cells, decimalMark }: BlockArguments): Promise<CellValue[]> {
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

function throwUnknown(slug: string): never {
  throw fail('NOT_FOUND', `Attribute not found: ${slug}`);
}
