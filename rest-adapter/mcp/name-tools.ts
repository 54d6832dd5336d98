import { type Key, type Row, type Table, table } from '../route.ts';
import { catalog } from '../surfaces.ts';

const organization = 'acme';
const id = '0199a000-0000-7000-8000-000000000001';
const other = '0199a000-0000-7000-8000-000000000002';

const kinds = [
  { one: 'brand', many: 'brands', Type: 'Brand', fields: 'id name productCount', path: '' },
  {
    ...{ one: 'category', many: 'categories', Type: 'Category', fields: 'id name productCount totalCount' },
    path: ' The name is a path such as `Furniture > Chairs`, and the categories below move along.',
  },
] as const;

/** The REST API can only create and check brands and categories. */
const rowsOf = ({ one, many, Type, fields, path }: (typeof kinds)[number]): Record<Key, Row> => {
  const moving = `${fields} move { fromName toName total moved }`;
  const missing = { NOT_FOUND: `${Type} not found` };
  const level =
    one === 'category' ? ['$parentId: ID, $isTop: Boolean = false, ', 'parentId: $parentId, isTop: $isTop, '] : ['', ''];
  return {
    [`POST /${many}/list`]: {
      summary: `List ${many} with their numbers of products`,
      description: `Includes ${many} that only products name.`,
      toolName: `list_${many}`,
      graphql: `query (${level[0]}$page: Int = 1, $limit: Int = 20, $search: String = "", $sortBy: LabelSort = name, $sortOrder: SortOrder = asc) {
        ${many}(${level[1]}page: $page, limit: $limit, search: $search, sortBy: $sortBy, sortOrder: $sortOrder) {
          ${many}: nodes { ${moving} ${one} { id slug } } pagination { page limit total totalPages }
        }
      }`,
      example: { params: { organization }, body: { search: 'b' } },
    },
    [`POST /${many}/{${one}_id}/values`]: {
      summary: `Read the values of a ${one}`,
      toolName: `get_${one}_values`,
      graphql: `query ($${one}_id: ID!) {
        ${one}(id: $${one}_id) { ${fields} values { slug attributeName value confidence sourceKind sourceUrl snippet at } }
      }`,
      example: { params: { organization, [`${one}_id`]: id } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/rename`]: {
      summary: `Rename a ${one} and the text of its products`,
      description: `With many products, some follow in the background; \`move\` tells how many.${path}`,
      toolName: `rename_${one}`,
      graphql: `mutation ($${one}_id: ID!, $name: String!, $slug: String) { rename${Type}(id: $${one}_id, name: $name, slug: $slug) { ${moving} } }`,
      example: { params: { organization, [`${one}_id`]: id }, body: { name: 'Norrvik' } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/merge-preview`]: {
      summary: `Show what a merge of two ${many} would move`,
      description: 'Changes nothing.',
      toolName: `preview_${one}_merge`,
      graphql: `query ($${one}_id: ID!, $intoId: ID!) {
        ${one}MergePreview(id: $${one}_id, intoId: $intoId) { fromName intoName products categories enrichments slug values }
      }`,
      example: { params: { organization, [`${one}_id`]: id }, body: { intoId: other } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/merge`]: {
      summary: `Merge a ${one} into another`,
      description: `The other one keeps what it has. This cannot be undone, so read \`preview_${one}_merge\` first.`,
      toolName: `merge_${one}`,
      graphql: `mutation ($${one}_id: ID!, $intoId: ID!) { merge${Type}(id: $${one}_id, intoId: $intoId) { ${moving} } }`,
      example: { params: { organization, [`${one}_id`]: id }, body: { intoId: other } },
      errors: missing,
    },
    [`POST /${many}/{${one}_id}/enter-values`]: {
      summary: `Enter or remove values of a ${one}`,
      description: 'Entered values replace those of enrichments, also of later ones, until they are removed.',
      toolName: `update_${one}_values`,
      graphql: `mutation ($${one}_id: ID!, $attributes: AttributeValues = {}, $remove: [String!] = []) {
        update${Type}Values(id: $${one}_id, attributes: $attributes, remove: $remove) { ${fields} values { slug value at } }
      }`,
      example: {
        params: { organization, [`${one}_id`]: id },
        body: { attributes: { story: { attributeType: 'text', value: 'Since 1920.' } } },
      },
      errors: missing,
    },
    [`DELETE /${many}/{${one}_id}`]: {
      summary: `Delete a ${one} without products`,
      toolName: `delete_${one}`,
      graphql: `mutation ($${one}_id: ID!) { delete${Type}(id: $${one}_id) { id deleted } }`,
      example: { params: { organization, [`${one}_id`]: id } },
      errors: missing,
    },
  };
};

/** Tools that list, rename, merge and delete brands and categories, and read and enter their values. */
export const nameTools: Table[] = kinds.map((kind) => table(catalog, rowsOf(kind)));
