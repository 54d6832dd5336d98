import { Badge, Group, Stack } from '@mantine/core';
import { IconArchive, IconArchiveOff, IconDownload, IconEdit, IconPackages, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { type CombinedError, useClient } from 'urql';
import type { ProductListQuery } from '../../../.graph/graphql.ts';
import { usePages } from '../../graph/use-pages.ts';
import { type Column, DataTable, PathCell, type Sort } from '../../parts/data-table.tsx';
import { Action, PageLink, Tag } from '../../parts/elements.tsx';
import { Search } from '../../parts/fields.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { showDone, showProblem } from '../../parts/overlays.tsx';
import { PageTitle } from '../../parts/page-frame.tsx';
import { Empty, useSentence } from '../../parts/states.tsx';
import { MAX_ARCHIVED, useArchiving } from '../../products/archiving.tsx';
import { BulkEdit } from '../../products/bulk-edit.tsx';
import { NewProductButton } from '../../products/product-editing.tsx';
import { useAddress } from '../../session/organization-choice.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { type ListVariables, PRODUCTS, useFilters } from './filter-state.ts';
import { Filters } from './filters.tsx';
import { exportProducts, productIds } from './product-export.ts';

type Row = ProductListQuery['products']['nodes'][number];
/** Maximum products of one job. */
const MAX_SELECTED = 5_000;

/** Search, filter, select and export products. */
export function Page() {
  const { products, pages } = useStrings();
  const formats = useFormats();
  const filters = useFilters();
  const { state, change, variables } = filters;
  const rows = usePages(PRODUCTS, variables, (data) => data.products);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns();
  return (
    <Stack gap="sm" flex={1} mih={0}>
      <PageTitle title={pages.products}>
        <Actions filters={filters} total={rows.count ?? 0} selected={selected} onSelect={setSelected} />
      </PageTitle>
      <Group gap="sm">
        <Search label={products.search} value={state.search} onSearch={(search) => change({ search })} />
        <Filters {...filters} />
        <Badge variant="transparent" color="gray" c="dimmed" role="status">
          {rows.count !== undefined && products.count(rows.count, formats.number(rows.count))}
        </Badge>
      </Group>
      <DataTable<Row>
        fixed
        label={pages.products}
        columns={columns}
        rows={rows}
        sort={{ by: state.by, order: state.order as Sort['order'] }}
        onSort={({ by, order }) => change({ by, order })}
        selected={selected}
        onSelect={setSelected}
        empty={<Empty icon={IconPackages} title={products.empty} text={products.emptyText} />}
      />
    </Stack>
  );
}

function useColumns(): Column<Row>[] {
  const { products } = useStrings();
  const formats = useFormats();
  return useMemo(
    () => [
      {
        key: 'name',
        title: products.name,
        sortable: true,
        cell: ({ id, name }) => <PageLink to={`products/${id}`} label={name} />,
      },
      { key: 'sku', title: products.sku, sortable: true, width: 110, cell: ({ sku }) => sku },
      { key: 'brand', title: products.brand, sortable: true, from: 'sm', width: 115, cell: ({ brand }) => brand },
      { key: 'category', title: products.category, from: 'lg', width: 160, cell: ({ category }) => <PathCell path={category} /> },
      { key: 'state', title: products.state, from: 'sm', width: 110, cell: (row) => <State row={row} /> },
      {
        key: 'completeness',
        title: products.completeness,
        from: 'md',
        width: 110,
        cell: ({ completeness: { percent } }) =>
          percent === null || percent === undefined ? null : formats.percent(percent / 100),
      },
      {
        key: 'updatedAt',
        title: products.updated,
        sortable: true,
        from: 'md',
        width: 130,
        cell: ({ updatedAt }) => formats.ago(updatedAt),
      },
    ],
    [products, formats],
  );
}

function State({ row: { enriched, isParent, archived } }: { row: Row }) {
  const { products, productEdits } = useStrings();
  if (archived) return <Tag label={productEdits.archived} color="orange" />;
  if (isParent) return <Tag label={products.families.parent} color="grape" />;
  return (
    <Tag
      label={enriched ? products.enrichments.enriched : products.enrichments['not-enriched']}
      color={enriched ? 'teal' : 'gray'}
    />
  );
}

/** All products of the list. */
const selectionOf = ({ filter, parentFilter, enrichedFilter }: ListVariables) => ({
  filter: filter ?? {},
  parentFilter,
  enrichedFilter,
});

interface ActionsProps {
  filters: ReturnType<typeof useFilters>;
  total: number;
  selected: ReadonlySet<string>;
  onSelect(ids: ReadonlySet<string>): void;
}

function Actions({ filters: { variables }, total, selected, onSelect }: ActionsProps) {
  const { products, productEdits, pages } = useStrings();
  const formats = useFormats();
  const address = useAddress();
  const client = useClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [editing, setEditing] = useState<'selected' | 'all' | null>(null);
  const sentence = useSentence();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    await work().catch((error: CombinedError) => showProblem(sentence(error)));
    setBusy(false);
  };
  const selectAll = () => run(async () => onSelect(new Set(await productIds(client, variables, MAX_SELECTED))));
  const save = () =>
    run(async () => {
      const count = await exportProducts(client, variables);
      showDone(products.exported(count, formats.number(count)));
    });
  const isArchived = variables.filter?.archived ?? false;
  const { archive, unarchive } = useArchiving();
  const move = () =>
    run(async () => {
      if (await (isArchived ? unarchive : archive)([...selected])) onSelect(new Set());
    });
  const start = () => navigate(address('jobs/new'), { state: { productIds: [...selected] } });
  return (
    <>
      {selected.size > 0 && selected.size < Math.min(total, MAX_SELECTED) && (
        <Action
          label={products.selectAll(formats.number(Math.min(total, MAX_SELECTED)))}
          variant="subtle"
          onClick={selectAll}
          loading={busy}
        />
      )}
      {selected.size > 0 && (
        <Action label={products.startJob(formats.number(selected.size))} onClick={start} icon={IconPlayerPlay} />
      )}
      {selected.size > 0 && (
        <Action
          label={productEdits.edit(formats.number(selected.size))}
          variant="default"
          icon={IconEdit}
          onClick={() => setEditing('selected')}
        />
      )}
      {selected.size > 0 && selected.size <= MAX_ARCHIVED && (
        <Action
          label={isArchived ? productEdits.unarchive : productEdits.archive}
          variant="default"
          icon={isArchived ? IconArchiveOff : IconArchive}
          loading={busy}
          onClick={move}
        />
      )}
      <NewProductButton />
      <Action label={products.export} variant="default" onClick={save} loading={busy} disabled={total === 0} icon={IconDownload} />
      <MoreMenu label={products.more} beside>
        {total > 0 && (
          <MenuAction label={productEdits.editAll(formats.number(total))} icon={IconEdit} onClick={() => setEditing('all')} />
        )}
        <MenuAction label={pages.deletedProducts} icon={IconTrash} onClick={() => navigate(address('products/deleted'))} />
      </MoreMenu>
      {editing && (
        <BulkEdit
          selection={editing === 'all' ? selectionOf(variables) : { ids: [...selected] }}
          count={formats.number(editing === 'all' ? total : selected.size)}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}
