import { enums } from '../../../schema/enums.ts';
import type { Job } from '../jobs/entity.ts';
import { TEXTS } from '../products/write-contents.ts';

export type ExportColumns = NonNullable<Job['exportColumns']>;

export const ALL: ExportColumns = { fields: null, attributes: null };

const PARENT = ['parentSku', 'parentName', 'isParent'];

/** The names of the columns of fields. An import recognizes a file by them, and its products by the SKU. */
export function columnNames({ fields }: ExportColumns): string[] {
  if (fields === null) return [...TEXTS, ...PARENT];
  const chosen = enums.ProductExportField.values.filter((field) => field === 'sku' || fields.includes(field));
  return chosen.flatMap((field) => (field === 'parent' ? PARENT : [field]));
}

const timeText = (column: string) => `to_char(r.${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The keys of a line, with the names of the graph, and their SQL: the product is `r`, its parent `p`, and its values `v.attributes`. */
const KEYS = {
  ...{ id: 'r.id', sku: 'r.sku', name: 'r.name', brand: 'r.brand', category: 'r.category', manufacturer: 'r.manufacturer' },
  ...{ mpn: 'r.mpn', uom: 'r.uom', externalId: 'r.external_id', parentId: 'r.parent_id', parentSku: 'p.sku', parentName: 'p.name' },
  ...{ isParent: 'r.is_parent', archived: 'r.archived', enriched: 'r.enriched' },
  ...{ userProvidedRawDataSources: 'r.user_provided_raw_data_sources', attributes: 'v.attributes' },
  ...{ createdAt: timeText('created_at'), updatedAt: timeText('updated_at') },
};

/** SQL of a product as a line of JSON. */
export function lineSql(columns: ExportColumns): string {
  const names = columnNames(columns);
  const isChosen = (key: string) =>
    columns.fields === null || ['id', 'attributes', ...names].includes(key) || (key === 'parentId' && names.includes('isParent'));
  const pairs = Object.entries(KEYS).flatMap(([key, value]) => (isChosen(key) ? [`'${key}', ${value}`] : []));
  return `json_build_object(${pairs.join(', ')})`;
}
