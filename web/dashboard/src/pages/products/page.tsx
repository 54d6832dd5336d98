import { Badge, Group, Stack } from '@mantine/core';
import {
  IconArchive,
  IconArchiveOff,
  IconColumns3,
  IconDownload,
  IconEdit,
  IconPackages,
  IconPlayerPlay,
  IconTableOptions,
  IconTrash,
} from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { type Client, type CombinedError, type OperationResult, type TypedDocumentNode, useClient } from 'urql';
import type { ProductListQueryVariables } from '../../../.graph/graphql.ts';
import { codeOf } from '../../graph/graph-client.ts';
import { graphql } from '../../graph/graph-hooks.ts';
import { PAGE_SIZE, usePages } from '../../graph/use-pages.ts';
import { DataTable, type Rows, type Sort } from '../../parts/data-table.tsx';
import { Action, Note } from '../../parts/elements.tsx';
import { Search } from '../../parts/forms-and-dialogs.tsx';
import { MenuAction, MoreMenu } from '../../parts/more-menu.tsx';
import { showProblem } from '../../parts/overlays.tsx';
import { Loading, onDemand, PageTitle, useSentence } from '../../parts/page-frame.tsx';
import { BulkEdit } from '../../products/bulk-edit.tsx';
import { MAX_ARCHIVED, NewProductButton, useArchiving } from '../../products/product-editing.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { type ListVariables, PRODUCTS, useFilters } from './filter-state.ts';
import { Filters } from './filters.tsx';
import { columnKeys, columnSlugs, type Row, useColumns } from './list-columns.tsx';
import { Views } from './views.tsx';

const ValueGrid = lazy(async () => ({ default: (await import('./value-grid.tsx')).ValueGrid }));
const ExportDialog = onDemand(async () => (await import('./export-dialog.tsx')).ExportDialog);
const ColumnChoice = onDemand(async () => (await import('./column-choice.tsx')).ColumnChoice);

/** The orders that an edit of a value does not change. */
const STABLE = ['name', 'sku', 'brand'];
/** Maximum products of one job. */
const MAX_SELECTED = 5_000;

/** Search, filter, select and export products. */
export function Page() {
  const { products, productGrid, pages, terms, formats } = useStrings();
  const filters = useFilters();
  const { state, change, variables } = filters;
  const slugs = useMemo(() => columnSlugs(columnKeys(state.columns)), [state.columns]);
  const rows = usePages(PRODUCTS, { ...variables, slugs }, (data) => data.products);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [choosing, setChoosing] = useState<'columns' | 'edit' | null>(null);
  const isEditing = state.mode === 'edit' && rows.count !== 0;
  const { columns, minWidth } = useColumns(state.columns, isEditing);
  const readRows = useRowReader(rows, { ...variables, slugs });
  /** An edit must not move the row, so the order by the last change ends. */
  function startEditing() {
    if (slugs.length === 0) return setChoosing('edit');
    change({ mode: 'edit', ...(STABLE.includes(state.by) ? {} : { by: 'name', order: 'asc' }) });
  }
  return (
    <Stack gap="sm" flex={1} mih={0}>
      <PageTitle title={pages.products}>
        <Actions filters={filters} total={rows.count ?? 0} selected={selected} onSelect={setSelected} />
      </PageTitle>
      <Group gap="sm">
        <Search label={terms.searchProducts} value={state.search} onSearch={(search) => change({ search })} />
        <Views {...filters} />
        <Filters {...filters} />
        <Action label={terms.columns} variant="default" icon={IconColumns3} onClick={() => setChoosing('columns')} />
        {!isEditing && (
          <Action
            label={productGrid.edit}
            variant="default"
            icon={IconTableOptions}
            disabled={rows.count === 0}
            onClick={startEditing}
          />
        )}
        <Badge variant="transparent" color="gray" c="dimmed" role="status">
          {rows.count !== undefined && products.count(rows.count, formats.number(rows.count))}
        </Badge>
      </Group>
      {isEditing && (
        <Suspense fallback={<Loading />}>
          {slugs.length === 0 && <Note>{productGrid.noColumns}</Note>}
          <ValueGrid
            label={pages.products}
            columns={columns}
            minWidth={minWidth}
            rows={rows}
            readRows={readRows}
            onDone={() => change({ mode: '' })}
          />
        </Suspense>
      )}
      {!isEditing && (
        <DataTable<Row>
          fixed
          minWidth={minWidth}
          label={pages.products}
          columns={columns}
          rows={rows}
          sort={{ by: state.by, order: state.order as Sort['order'] }}
          onSort={({ by, order }) => change({ by, order })}
          selected={selected}
          onSelect={setSelected}
          empty={{ icon: IconPackages, title: products.empty, text: products.emptyText }}
        />
      )}
      {choosing && (
        <ColumnChoice
          chosen={state.columns}
          onChange={(chosen) => change({ columns: chosen })}
          text={choosing === 'edit' ? productGrid.noColumns : undefined}
          onClose={() => {
            setChoosing(null);
            if (choosing === 'edit' && slugs.length > 0) startEditing();
          }}
        />
      )}
    </Stack>
  );
}

/** Reads rows that the list may not have in memory, in pages like those of the list. */
function useRowReader(rows: Rows<Row>, variables: Omit<ProductListQueryVariables, 'page' | 'limit'>) {
  const client = useClient();
  return async (first: number, last: number): Promise<(Row | undefined)[]> => {
    const pages = new Map<number, readonly Row[]>();
    const found: (Row | undefined)[] = [];
    for (let index = first; index <= last; index++) {
      const known = rows.at(index);
      const page = Math.floor(index / PAGE_SIZE);
      if (!known && !pages.has(page)) {
        const { data, error } = await client.query(PRODUCTS, { ...variables, page: page + 1, limit: PAGE_SIZE });
        if (!data) throw error;
        pages.set(page, data.products.nodes);
      }
      found.push(known ?? pages.get(page)?.[index % PAGE_SIZE]);
    }
    return found;
  };
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

function Actions({ filters: { state, variables }, total, selected, onSelect }: ActionsProps) {
  const { products, productEdits, pages, actions, formats } = useStrings();
  const client = useClient();
  const { go } = useGo();
  const [busy, setBusy] = useState(false);
  const [editing, setEditing] = useState<'selected' | 'all' | null>(null);
  const [isExporting, setExporting] = useState(false);
  const sentence = useSentence();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    await work().catch((error: CombinedError) => showProblem(sentence(error)));
    setBusy(false);
  };
  const selectAll = () => run(async () => onSelect(new Set(await productIds(client, variables, MAX_SELECTED))));
  const all = { selection: selectionOf(variables), count: formats.number(total) };
  const chosen = selected.size > 0 ? { selection: { ids: [...selected] }, count: formats.number(selected.size) } : null;
  const isArchived = variables.filter?.archived ?? false;
  const { archive, unarchive } = useArchiving();
  const move = () =>
    run(async () => {
      if (await (isArchived ? unarchive : archive)([...selected])) onSelect(new Set());
    });
  const start = () => go('jobs/new', { state: { productIds: [...selected] } });
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
      <Action
        label={actions.export}
        variant="default"
        onClick={() => setExporting(true)}
        disabled={total === 0}
        icon={IconDownload}
      />
      <MoreMenu label={products.more} beside>
        {total > 0 && (
          <MenuAction label={productEdits.editAll(formats.number(total))} icon={IconEdit} onClick={() => setEditing('all')} />
        )}
        <MenuAction label={pages.deletedProducts} icon={IconTrash} onClick={() => go('products/deleted')} />
      </MoreMenu>
      {editing && <BulkEdit {...(editing === 'selected' && chosen ? chosen : all)} onClose={() => setEditing(null)} />}
      {isExporting && <ExportDialog all={all} selected={chosen} columns={state.columns} onClose={() => setExporting(false)} />}
    </>
  );
}

const PRODUCT_IDS = graphql(`
  query ProductIds(
    $after: String, $orderBy: ProductOrder!, $sortOrder: SortOrder!
    $filter: ProductFilter, $parentFilter: ParentFilter!, $enrichedFilter: EnrichedFilter!
  ) {
    products(
      after: $after, limit: 100, orderBy: $orderBy, sortOrder: $sortOrder
      filter: $filter, parentFilter: $parentFilter, enrichedFilter: $enrichedFilter
    ) {
      nodes { id }
      endCursor
    }
  }
`);

/** Milliseconds to wait after the rate limit was reached. */
const PAUSE = 5_000;

interface ListPage {
  products: { nodes: object[]; endCursor?: string | null };
}

/** All products of a filter, by cursor. Waits when the rate limit is reached. */
async function* allProducts<Data extends ListPage>(
  client: Client,
  document: TypedDocumentNode<Data, ListVariables & { after?: string | null }>,
  variables: ListVariables,
): AsyncGenerator<Data['products']['nodes'], void, void> {
  for (let after: string | null | undefined; ; ) {
    const { data, error }: OperationResult<Data> = await client.query(
      document,
      { ...variables, after },
      { requestPolicy: 'network-only' },
    );
    if (error && codeOf(error) === 'RATE_LIMITED') {
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      continue;
    }
    if (!data) throw error;
    yield data.products.nodes;
    after = data.products.endCursor;
    if (!after) return;
  }
}

/** The ids of at most `limit` products of a filter. */
async function productIds(client: Client, variables: ListVariables, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of allProducts(client, PRODUCT_IDS, variables)) {
    ids.push(...page.map(({ id }) => id));
    if (ids.length >= limit) break;
  }
  return ids.slice(0, limit);
}
