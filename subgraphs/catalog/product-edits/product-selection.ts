import { type Bind, countRows, isId, sql } from '../../../platform/database/index.ts';
import type { Scope } from '../../../platform/scope/index.ts';
import { fail } from '../../../schema/errors.ts';
import { Product } from '../products/entity.ts';
import { conditionsOf, nameOrSkuContains } from '../products/filter.ts';
import { rareMatches } from '../products/product-counts.ts';
import { countProducts } from '../products/product-list.ts';
import type { ProductSelection } from './entity.ts';

/** A checked selection. */
export interface Selection {
  given: ProductSelection;
  /** The ids that meet some of its conditions, if there are few. PostgreSQL would look for them in the whole catalog. */
  rare?: string[];
}

/** Throws `INVALID_INPUT` unless the selection has either ids or other conditions. */
export async function readSelection(scope: Scope, given: ProductSelection): Promise<Selection> {
  const { ids, ...conditions } = given;
  const isFiltered = Object.values(conditions).some((each) => each != null);
  if (ids && isFiltered) throw fail('INVALID_INPUT', 'selection must have either ids or other conditions');
  if (!ids && !conditions.filter)
    throw fail('INVALID_INPUT', 'selection must have ids or a filter; an empty filter selects all products');
  return { given, rare: conditions.filter ? await rareMatches(scope, conditions.filter) : undefined };
}

/** SQL conditions on the selected products as `r`, without that of the organization. */
function conditions({ given, rare }: Selection, organizationId: string, bind: Bind): string {
  const { ids, search, filter, parentFilter = 'all', enrichedFilter = 'all' } = given;
  if (ids) return `r.id = any(${bind(ids.filter(isId))}::uuid[])`;
  return [
    filter?.archived ? 'r.archived' : 'not r.archived',
    ...(parentFilter && parentFilter !== 'all' ? [`${parentFilter === 'parent' ? '' : 'not '}r.is_parent`] : []),
    ...(enrichedFilter && enrichedFilter !== 'all' ? [`${enrichedFilter === 'enriched' ? '' : 'not '}r.enriched`] : []),
    ...(search ? [nameOrSkuContains(search, bind)] : []),
    ...conditionsOf(filter ?? {}, organizationId, bind),
    ...(rare ? [`r.id = any(${bind(rare)}::uuid[])`] : []),
  ].join(' and ');
}

/** The number of selected products. */
export const countSelected = (scope: Scope, selection: Selection): Promise<number> => {
  const { ids, ...list } = selection.given;
  if (!ids) return countProducts(scope, list);
  return countRows(scope, Product, { matching: (bind) => conditions(selection, scope.organizationId, bind) });
};

const MARK = '\u0001';

/** The condition of the selection as a part of a statement, on products as `r`. */
export function isSelected({ organizationId }: Scope, selection: Selection) {
  const values: unknown[] = [];
  const text = conditions(selection, organizationId, (value) => `${MARK}${values.push(value) - 1}${MARK}`);
  const parts = text.split(MARK).map((part, at) => (at % 2 === 0 ? sql.raw(part) : sql`${values[Number(part)]}`));
  return sql`r.organization_id = ${organizationId} and ${sql.join(parts, sql.raw(''))}`;
}
