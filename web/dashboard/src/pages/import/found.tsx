import { Alert, Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { IconCornerDownRight, IconFileSearch } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useMutation } from 'urql';
import type { FinalizeImportMutation, FoundItemFragment, FoundItemsQuery, ImportPageQuery } from '../../../.graph/graphql.ts';
import { usePages, useReread } from '../../graph/use-pages.ts';
import { isOpen } from '../../jobs/job-state.tsx';
import { type Column, DataTable, type Sort } from '../../parts/data-table.tsx';
import { Action, PageLink, Tag } from '../../parts/elements.tsx';
import { Search } from '../../parts/fields.tsx';
import { Empty } from '../../parts/states.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { Account } from './account.tsx';
import { Changes, CREATE_ONLY, ExistingProducts, type UpdateChoice } from './existing-products.tsx';
import { FINALIZE, FOUND_ITEMS } from './found-items.ts';

const DEFAULTS = { search: '', by: 'file', order: 'asc', show: 'all' };
const CHOICES = { by: ['file', 'name', 'type'], order: ['asc', 'desc'], show: ['all', 'questions'] };
const EditItem = lazy(async () => ({ default: (await import('./edit-item.tsx')).EditItem }));

type Row = FoundItemsQuery['importItems']['nodes'][number];
type Outcome = FinalizeImportMutation['finalizeAiImportJob'];

/** The products that an import found. They enter the catalog when somebody chooses them. */
export function Found({ job }: { job: ImportPageQuery['job'] }) {
  const { imports } = useStrings();
  const formats = useFormats();
  const [{ search, by, order, show }, change] = useUrlState(DEFAULTS, CHOICES);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<FoundItemFragment | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [options, setOptions] = useState(CREATE_ONLY);
  const variables = useMemo(() => {
    const orderBy = by === 'file' ? 'file' : (`${by}-${order}` as 'name-asc');
    const { mode, ...compared } = options;
    return {
      jobId: job.id,
      search,
      orderBy,
      inQuestion: show === 'questions',
      isCompared: mode !== 'create',
      ...compared,
    } as const;
  }, [job.id, search, by, order, show, options]);
  const rows = usePages(FOUND_ITEMS, variables, (data) => data.importItems);
  useReread(rows, `${job.totalExtracted} ${job.status}`);
  const columns = useColumns(setEdited, options);
  const running = isOpen(job);
  return (
    <>
      <Account job={job} isFiltered={show === 'questions'} onFilter={(isOn) => change({ show: isOn ? 'questions' : 'all' })} />
      <Group gap="sm">
        <Search label={imports.search} value={search} onSearch={(text) => change({ search: text })} />
        <Badge variant="transparent" color="gray" c="dimmed" role="status" mr="auto">
          {imports.foundCount(job.totalExtracted ?? 0, formats.number(job.totalExtracted ?? 0))}
        </Badge>
        {!running && (rows.count ?? 0) > 0 && (
          <Finalize
            jobId={job.id}
            options={options}
            selected={selected}
            onDone={(done) => {
              setOutcome(done);
              setSelected(new Set());
            }}
          />
        )}
      </Group>
      {!running && (rows.count ?? 0) > 0 && <ExistingProducts options={options} onChange={setOptions} />}
      {outcome && <Result outcome={outcome} onClose={() => setOutcome(null)} />}
      <DataTable<Row>
        label={imports.products}
        columns={columns}
        rows={rows}
        sort={{ by, order: order as Sort['order'] }}
        onSort={(sort) => change({ by: sort.by, order: sort.order })}
        selected={selected}
        onSelect={setSelected}
        empty={
          <Empty
            icon={IconFileSearch}
            title={running ? imports.searching : imports.nothing}
            text={running ? imports.searchingText : imports.nothingText}
          />
        }
      />
      {edited && (
        <Suspense>
          <EditItem key={edited.id} item={edited} onClose={() => setEdited(null)} />
        </Suspense>
      )}
    </>
  );
}

interface FinalizeProps {
  jobId: string;
  options: UpdateChoice;
  selected: ReadonlySet<string>;
  onDone(outcome: Outcome): void;
}

function Finalize({ jobId, options, selected, onDone }: FinalizeProps) {
  const { imports } = useStrings();
  const formats = useFormats();
  const [{ fetching }, finalize] = useMutation(FINALIZE);
  const count = formats.number(selected.size);
  async function run(choice: { all?: boolean; itemIds?: string[]; excludedIds?: string[] }) {
    const { data } = await finalize({ jobId, ...options, ...choice });
    if (data) onDone(data.finalizeAiImportJob);
  }
  if (selected.size === 0) {
    return <Action label={imports.all} loading={fetching} onClick={() => run({ all: true })} />;
  }
  return (
    <>
      <Action
        label={imports.allBut(count)}
        variant="default"
        disabled={fetching}
        onClick={() => run({ all: true, excludedIds: [...selected] })}
      />
      <Action label={imports.chosen(count)} loading={fetching} onClick={() => run({ itemIds: [...selected] })} />
    </>
  );
}

function Result({ outcome: { imported, failed, created, updated, unchanged }, onClose }: { outcome: Outcome; onClose(): void }) {
  const { imports, actions } = useStrings();
  const formats = useFormats();
  return (
    <Alert
      color={failed > 0 ? 'orange' : 'teal'}
      role="status"
      flex="none"
      title={imports.imported(imported, formats.number(imported))}
      withCloseButton
      closeButtonLabel={actions.close}
      onClose={onClose}
    >
      <Group gap="sm">
        {updated + unchanged > 0 && imports.outcomes(formats.number(created), formats.number(updated), formats.number(unchanged))}
        {failed > 0 && imports.notImported(failed, formats.number(failed))}
        <PageLink to="products" label={imports.toProducts} />
      </Group>
    </Alert>
  );
}

const colors = { pending: 'gray', processing: 'blue', completed: 'teal', failed: 'red' } as const;

/** The columns of found products. Products that are not imported yet open by their name. */
function useColumns(onEdit: (item: FoundItemFragment) => void, { mode }: UpdateChoice): Column<Row>[] {
  const { imports, products, jobs } = useStrings();
  const changes: Column<Row> = {
    key: 'changes',
    title: imports.changes,
    cell: ({ status, differences }) => status !== 'completed' && <Changes differences={differences} />,
  };
  return [
    { key: 'name', title: products.name, sortable: true, cell: (item) => <Name item={item} onEdit={onEdit} /> },
    { key: 'sku', title: products.sku, width: 150, from: 'sm', cell: ({ data }) => data.sku },
    {
      key: 'type',
      title: imports.type,
      width: 170,
      from: 'sm',
      sortable: true,
      cell: ({ type, childCount }) => (type === 'family' ? imports.family(childCount) : imports.types[type]),
    },
    ...(mode === 'create' ? [] : [changes]),
    { key: 'brand', title: products.brand, from: 'md', cell: ({ data }) => data.brand },
    { key: 'category', title: products.category, from: 'lg', cell: ({ data }) => data.category },
    {
      key: 'status',
      title: jobs.status,
      width: 130,
      cell: ({ status, errorMessage }) => (
        <Tag label={imports.statuses[status]} color={colors[status]} title={errorMessage ?? undefined} />
      ),
    },
  ];
}

function Name({ item, onEdit }: { item: FoundItemFragment; onEdit(item: FoundItemFragment): void }) {
  const { imports } = useStrings();
  const { data, parentItemId, status, errorMessage, questionCount } = item;
  const options = Object.entries(data.variantOptions as Record<string, string>).map(([name, value]) => `${name}: ${value}`);
  const detail = errorMessage ?? options.join(', ');
  return (
    <Group gap={6} wrap="nowrap" maw={{ base: '42vw', sm: 420 }}>
      {parentItemId && <IconCornerDownRight size={14} aria-hidden />}
      {status === 'completed' ? (
        <Text size="sm" truncate>
          {data.name}
        </Text>
      ) : (
        <UnstyledButton onClick={() => onEdit(item)} miw={0}>
          <Text size="sm" c="var(--mantine-color-anchor)" truncate>
            {data.name}
          </Text>
        </UnstyledButton>
      )}
      {questionCount > 0 && <Tag label={imports.questions(questionCount)} color="orange" />}
      {detail && (
        <Text size="xs" c={errorMessage ? 'var(--mantine-color-red-light-color)' : 'dimmed'} truncate>
          {detail}
        </Text>
      )}
    </Group>
  );
}
