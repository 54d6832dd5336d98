import { Stack } from '@mantine/core';
import { IconRestore, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { DeletedProductsQuery } from '../../../.graph/graphql.ts';
import { graphql, useButton } from '../../graph/graph-hooks.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Action } from '../../parts/elements.tsx';
import { PageTitle } from '../../parts/page-frame.tsx';
import { RESTORE } from '../../products/product-editing.tsx';
import { useStrings } from '../../strings/strings.tsx';

const DELETED = graphql(`
  query DeletedProducts($page: Int!, $limit: Int!) {
    deletedProducts(page: $page, limit: $limit) {
      nodes { id sku name brand deletedAt expiresAt deletedBy { id name email } }
      pagination { total }
    }
  }
`);
type Row = DeletedProductsQuery['deletedProducts']['nodes'][number];
const NOTHING = {};

/** The products that were deleted in the last 30 days, which can be restored. */
export function Page() {
  const { productEdits, pages, formats } = useStrings();
  const rows = usePages(DELETED, NOTHING, (data) => data.deletedProducts);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns();
  const restore = useButton(RESTORE, {
    done: ({ restoreProducts: { ids } }) => productEdits.restored(ids.length, formats.number(ids.length)),
    after: () => setSelected(new Set()),
  });
  return (
    <Stack gap="sm" flex={1} mih={0}>
      <PageTitle title={pages.deletedProducts}>
        {selected.size > 0 && (
          <Action
            label={productEdits.restore(formats.number(selected.size))}
            icon={IconRestore}
            {...restore({ ids: [...selected] })}
          />
        )}
      </PageTitle>
      <DataTable<Row>
        fixed
        label={pages.deletedProducts}
        columns={columns}
        rows={rows}
        selected={selected}
        onSelect={setSelected}
        empty={{ icon: IconTrash, title: productEdits.noneDeleted, text: productEdits.noneDeletedText }}
      />
    </Stack>
  );
}

function useColumns(): Column<Row>[] {
  const { products, productEdits, formats } = useStrings();
  return useMemo(
    () => [
      { key: 'name', title: products.name, cell: ({ name }) => name },
      { key: 'sku', title: products.sku, width: 110, cell: ({ sku }) => sku },
      { key: 'brand', title: products.brand, from: 'md', width: 115, cell: ({ brand }) => brand },
      {
        key: 'deletedBy',
        title: productEdits.deletedBy,
        from: 'lg',
        width: 180,
        cell: ({ deletedBy }) => deletedBy?.name || deletedBy?.email,
      },
      { key: 'deletedAt', title: productEdits.deleted, from: 'sm', width: 130, cell: ({ deletedAt }) => formats.ago(deletedAt) },
      { key: 'expires', title: productEdits.expires, from: 'md', width: 130, cell: ({ expiresAt }) => formats.date(expiresAt) },
    ],
    [products, productEdits, formats],
  );
}
