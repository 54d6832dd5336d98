/** The columns of a product in a list; large ones are read only when they are selected. */
export const LISTED = [
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

/** A query of its own for the names of parents would cost more than all of the page. */
export const joined = {
  parentName: '(select p.name from catalog.products p where p.id = r.parent_id and p.organization_id = r.organization_id)',
};
