/** The columns of a product in a list. Large columns are read only if they are selected. */
export const LIST_COLUMNS = [
  'id',
  'organizationId',
  'sku',
  'name',
  'manufacturer',
  'mpn',
  'uom',
  'brand',
  'category',
  'externalId',
  'parentId',
  'isParent',
  'enriched',
  'createdAt',
  'updatedAt',
] as const;

/** A subselect, because a separate query for parent names would cost more than the page itself. */
export const joined = {
  parentName: '(select p.name from catalog.products p where p.id = r.parent_id and p.organization_id = r.organization_id)',
};
