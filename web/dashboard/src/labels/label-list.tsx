import { Badge, Group, Stack } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconBinaryTree2, IconPlayerPlay, IconTag } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { TypedDocumentNode } from 'urql';
import type { BrandListQuery } from '../../.graph/graphql.ts';
import { usePages } from '../graph/use-pages.ts';
import { type Column, DataTable, type Rows, type Sort } from '../parts/data-table.tsx';
import { Action, PageLink, Tag } from '../parts/elements.tsx';
import { Search, Segments } from '../parts/forms-and-dialogs.tsx';
import { MoreMenu } from '../parts/more-menu.tsx';
import { PageTitle } from '../parts/page-frame.tsx';
import { useUrlState } from '../parts/url-state.ts';
import { useGo } from '../session/session.tsx';
import { useStrings } from '../strings/strings.tsx';
import { LabelDialog, LabelMenuItems, NewLabelButton, type Open } from './label-actions.tsx';
import { LEVEL, type Listed, leafOf, operations, type Subject, settingsOf } from './label-subject.ts';

const DEFAULTS = { search: '', by: 'name', order: 'asc', show: 'all' };
const CHOICES = { by: ['name', 'productCount'], order: ['asc', 'desc'], show: ['all', 'top'] };
/** Maximum brands or categories of one job. */
const MAX_SELECTED = 2_000;
/** Milliseconds between two reads while products move. */
const FOLLOW = 2_000;

interface ListVariables {
  page: number;
  limit: number;
  search: string;
  sortBy: 'name' | 'productCount';
  sortOrder: 'asc' | 'desc';
  parentId?: string;
  isTop?: boolean;
}

/** The brands or categories of a list, read again while products of one of them move. */
function useLabels(subject: Subject, variables: Omit<ListVariables, 'page' | 'limit'>): Rows<Listed> {
  const isLevel = variables.parentId !== undefined || variables.isTop === true;
  const document = isLevel ? LEVEL : operations[subject].list;
  const rows = usePages(document as unknown as TypedDocumentNode<BrandListQuery, ListVariables>, variables, (data) => data.labels);
  const isMoving = Array.from({ length: Math.min(rows.count ?? 0, 200) }, (_, index) => rows.at(index)).some((row) => row?.move);
  useInterval(() => isMoving && rows.retry?.(), FOLLOW, { autoInvoke: true });
  return rows;
}

export const Brands = () => <LabelList subject="brand" />;
export const Categories = () => <LabelList subject="category" />;

/** All brands or categories with their numbers of products: search, create, rename, merge, enrich, delete. */
function LabelList({ subject }: { subject: Subject }) {
  const { labels, pages, terms, formats } = useStrings();
  const [{ search, by, order, show }, change, bind] = useUrlState(DEFAULTS, CHOICES);
  const { path } = settingsOf[subject];
  const isTop = subject === 'category' && show === 'top';
  const variables = useMemo(
    () => ({ search, sortBy: by as 'name', sortOrder: order as 'asc', ...(isTop && { isTop: true }) }),
    [search, by, order, isTop],
  );
  const rows = useLabels(subject, variables);
  const [selected, setSelected] = useState<ReadonlyMap<string, string>>(new Map());
  const select = (ids: ReadonlySet<string>) => setSelected(namesOf(ids, selected, rows));
  const ids = useMemo(() => new Set(selected.keys()), [selected]);
  return (
    <Stack gap="sm" flex={1} mih={0}>
      <PageTitle title={pages[path]}>
        <EnrichButton subject={subject} names={[...selected.values()]} />
        <NewLabelButton subject={subject} />
      </PageTitle>
      <Group gap="sm">
        <Search label={labels.search} value={search} onSearch={(text) => change({ search: text })} />
        {subject === 'category' && (
          <Segments {...bind('show')} aria-label={labels.show} labels={{ all: terms.all, top: labels.top }} />
        )}
        <Badge variant="transparent" color="gray" c="dimmed" role="status">
          {rows.count !== undefined && labels.count[subject](rows.count, formats.number(rows.count))}
        </Badge>
      </Group>
      <LabelTable
        subject={subject}
        rows={rows}
        sort={{ by, order: order as Sort['order'] }}
        onSort={change}
        selected={ids}
        onSelect={select}
      />
    </Stack>
  );
}

/** The names of the selected rows. A row that is out of sight was selected earlier. */
function namesOf(ids: ReadonlySet<string>, known: ReadonlyMap<string, string>, rows: Rows<Listed>): Map<string, string> {
  const names = new Map(known);
  for (let index = 0; index < (rows.count ?? 0); index += 1) {
    const row = rows.at(index);
    if (row && ids.has(row.id)) names.set(row.id, row.name);
  }
  return new Map([...ids].flatMap((id): [string, string][] => (names.has(id) ? [[id, names.get(id)!]] : [])));
}

/** Starts a job over some brands or categories. */
export function EnrichButton({ subject, names }: { subject: Subject; names: string[] }) {
  const { labels, formats } = useStrings();
  const { go } = useGo();
  if (names.length === 0) return null;
  const { kind } = settingsOf[subject];
  return (
    <Action
      label={names.length === 1 ? labels.enrich : labels.enrichMany(formats.number(Math.min(names.length, MAX_SELECTED)))}
      icon={IconPlayerPlay}
      variant="default"
      onClick={() => go(`jobs/new?kind=${kind}`, { state: { names: names.slice(0, MAX_SELECTED) } })}
    />
  );
}

/** The categories directly below one. */
export function Below({ parentId }: { parentId: string }) {
  const variables = useMemo(() => ({ search: '', sortBy: 'name', sortOrder: 'asc', parentId, isTop: false }) as const, [parentId]);
  return <LabelTable subject="category" rows={useLabels('category', variables)} isLevel />;
}

interface TableProps {
  subject: Subject;
  rows: Rows<Listed>;
  /** The rows are those below one category, so that their names need only the last level. */
  isLevel?: boolean;
  sort?: Sort;
  onSort?(sort: Sort): void;
  selected?: ReadonlySet<string>;
  onSelect?(ids: ReadonlySet<string>): void;
}

function LabelTable({ subject, rows, isLevel = false, ...table }: TableProps) {
  const { labels, pages } = useStrings();
  const [dialog, setDialog] = useState<{ label: Listed; open: Open } | null>(null);
  const columns = useColumns(subject, isLevel, (label, open) => setDialog({ label, open }));
  const empty = isLevel
    ? { icon: IconBinaryTree2, title: labels.noneBelow, text: labels.pathText }
    : { icon: IconTag, title: labels.none[subject], text: labels.noneText };
  return (
    <>
      <DataTable<Listed> fixed label={pages[settingsOf[subject].path]} columns={columns} rows={rows} empty={empty} {...table} />
      {dialog && <LabelDialog subject={subject} label={dialog.label} open={dialog.open} onClose={() => setDialog(null)} />}
    </>
  );
}

function useColumns(subject: Subject, isLevel: boolean, onOpen: (label: Listed, open: Open) => void): Column<Listed>[] {
  const { labels, terms, pages, formats } = useStrings();
  const { path } = settingsOf[subject];
  return [
    {
      key: 'name',
      title: terms.name,
      sortable: true,
      cell: ({ id, name }) => (
        <PageLink to={`${path}/${id}`} label={isLevel ? leafOf(name) : name} title={name} truncate display="block" />
      ),
    },
    {
      key: 'state',
      title: labels.state,
      from: 'sm',
      width: 170,
      cell: ({ record, move }) => {
        if (move)
          return <Tag label={labels.movingPercent(formats.percent(move.total > 0 ? move.moved / move.total : 0))} color="blue" />;
        return <Tag label={record ? terms.created : labels.isNamed} color={record ? 'teal' : 'gray'} />;
      },
    },
    {
      key: 'productCount',
      title: pages.products,
      align: 'right',
      width: 120,
      sortable: true,
      cell: ({ productCount }) => formats.number(productCount),
    },
    ...(subject === 'category'
      ? [
          {
            key: 'totalCount',
            title: labels.withBelow,
            align: 'right' as const,
            from: 'sm' as const,
            width: 130,
            cell: ({ totalCount }: Listed) => formats.number(totalCount),
          },
        ]
      : []),
    {
      key: 'enriched',
      title: labels.enrichedProducts,
      align: 'right',
      from: 'md',
      width: 130,
      cell: ({ enrichedCount }) => formats.number(enrichedCount),
    },
    {
      key: 'actions',
      title: '',
      width: 60,
      cell: (label) => (
        <MoreMenu label={labels.actionsOf(label.name)}>
          <LabelMenuItems subject={subject} label={label} onOpen={(open) => onOpen(label, open)} />
        </MoreMenu>
      ),
    },
  ];
}
