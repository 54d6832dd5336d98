import { Alert, Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { IconCornerDownRight, IconFileSearch } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { FoundItemFragment, FoundItemsQuery, ImportPageQuery } from '../../../.graph/graphql.ts';
import { useAction, useQuery } from '../../graph/graph-hooks.ts';
import { usePages, useReread } from '../../graph/use-pages.ts';
import { isOpen } from '../../jobs/job-state.tsx';
import { type Column, DataTable, PathCell, type Sort } from '../../parts/data-table.tsx';
import { Action, PageLink, Tag } from '../../parts/elements.tsx';
import { Search } from '../../parts/forms-and-dialogs.tsx';
import { onDemand } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { useStrings } from '../../strings/strings.tsx';
import { FINALIZE, FOUND_ITEMS } from './found-items.ts';
import {
  Account,
  Changes,
  CREATE_ONLY,
  ExistingProducts,
  PRODUCT_IMPORT,
  type ProductImport,
  RunningImport,
  START_PRODUCT_IMPORT,
  type UpdateChoice,
} from './product-import.tsx';

const DEFAULTS = { search: '', by: 'file', order: 'asc', show: 'all' };
const CHOICES = { by: ['file', 'name', 'type'], order: ['asc', 'desc'], show: ['all', 'questions'] };
const EditItem = onDemand(async () => (await import('./edit-item.tsx')).EditItem);

type Row = FoundItemsQuery['importItems']['nodes'][number];
type Outcome = NonNullable<ProductImport['importCounts']>;

/** More items are imported by a job with progress, because a request would take long. */
const MOST_AT_ONCE = 1_000;

/** The products that an import found. They enter the catalog when somebody chooses them. */
export function Found({ job }: { job: ImportPageQuery['job'] }) {
  const { imports, terms, formats } = useStrings();
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
  const [started, setStarted] = useState<string | null>(null);
  const [{ data }] = useQuery({ query: PRODUCT_IMPORT, variables: { id: job.id } });
  const importing = data?.job.productImport;
  useReread(rows, `${job.totalExtracted} ${job.status} ${importing?.id} ${importing?.status}`);
  const columns = useColumns(setEdited, options);
  const running = isOpen(job);
  // The list is read a moment after the count.
  const isAwaited = running || ((job.totalExtracted ?? 0) > 0 && search === '' && show === 'all');
  const isAnswered = show === 'questions' && search === '' && !running;
  const noRows = isAwaited
    ? { title: imports.searching, text: imports.searchingText }
    : isAnswered
      ? { title: imports.noQuestions, text: imports.noQuestionsText }
      : { title: imports.nothing, text: imports.nothingText };
  const ended = importing && importing.id === started && !isOpen(importing) ? importing.importCounts : null;
  const shown = outcome ?? ended;
  return (
    <>
      <Account job={job} isFiltered={show === 'questions'} onFilter={(isOn) => change({ show: isOn ? 'questions' : 'all' })} />
      <Group gap="sm">
        <Search label={terms.searchProducts} value={search} onSearch={(text) => change({ search: text })} />
        <Badge variant="transparent" color="gray" c="dimmed" role="status" mr="auto">
          {imports.foundCount(job.totalExtracted ?? 0, formats.number(job.totalExtracted ?? 0))}
        </Badge>
        {!running && (job.totalExtracted ?? 0) > 0 && !(importing && isOpen(importing)) && (
          <Finalize
            jobId={job.id}
            count={job.totalExtracted ?? 0}
            options={options}
            selected={selected}
            onDone={(done, startedId) => {
              setOutcome(done);
              setStarted(startedId);
              setSelected(new Set());
            }}
          />
        )}
      </Group>
      {!running && (job.totalExtracted ?? 0) > 0 && <ExistingProducts options={options} onChange={setOptions} />}
      {importing && <RunningImport key={importing.id} job={importing} />}
      {shown && (
        <Result
          outcome={shown}
          onClose={() => {
            setOutcome(null);
            setStarted(null);
          }}
        />
      )}
      <DataTable<Row>
        label={imports.products}
        columns={columns}
        rows={rows}
        sort={{ by, order: order as Sort['order'] }}
        onSort={(sort) => change({ by: sort.by, order: sort.order })}
        selected={selected}
        onSelect={setSelected}
        empty={{ icon: IconFileSearch, ...noRows }}
      />
      {edited && <EditItem key={edited.id} item={edited} onClose={() => setEdited(null)} />}
    </>
  );
}

interface FinalizeProps {
  jobId: string;
  /** All items of the import. */
  count: number;
  options: UpdateChoice;
  selected: ReadonlySet<string>;
  /** Called with the outcome, or with the job that imports the items. */
  onDone(outcome: Outcome | null, started: string | null): void;
}

function Finalize({ jobId, count: all, options, selected, onDone }: FinalizeProps) {
  const { imports, formats } = useStrings();
  const [finalize, isFinalizing] = useAction(FINALIZE, { after: (data) => onDone(data.finalizeAiImportJob, null) });
  const [startJob, isStarting] = useAction(START_PRODUCT_IMPORT, { after: (data) => onDone(null, data.createProductImportJob.id) });
  const fetching = isFinalizing || isStarting;
  const count = formats.number(selected.size);
  function run(choice: { all?: boolean; itemIds?: string[]; excludedIds?: string[] }) {
    const start = (choice.itemIds ? choice.itemIds.length : all) > MOST_AT_ONCE ? startJob : finalize;
    return start({ jobId, ...options, ...choice });
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
  const { imports, actions, formats } = useStrings();
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
  const { imports, products, terms } = useStrings();
  const changes: Column<Row> = {
    key: 'changes',
    title: terms.changes,
    cell: ({ status, differences }) => status !== 'completed' && <Changes differences={differences} />,
  };
  return [
    { key: 'name', title: products.name, sortable: true, cell: (item) => <Name item={item} onEdit={onEdit} /> },
    { key: 'sku', title: products.sku, width: 150, from: 'sm', cell: ({ data }) => data.sku },
    {
      key: 'type',
      title: terms.type,
      width: 170,
      from: 'sm',
      sortable: true,
      cell: ({ type, childCount }) => (type === 'family' ? imports.family(childCount) : imports.types[type]),
    },
    ...(mode === 'create' ? [] : [changes]),
    { key: 'brand', title: products.brand, from: 'md', cell: ({ data }) => data.brand },
    { key: 'category', title: products.category, from: 'lg', cell: ({ data }) => <PathCell path={data.category} /> },
    {
      key: 'status',
      title: terms.status,
      width: 130,
      cell: ({ status, errorMessage }) => (
        <Tag label={imports.statuses[status]} color={colors[status]} title={errorMessage ?? undefined} />
      ),
    },
  ];
}

function Name({ item, onEdit }: { item: FoundItemFragment; onEdit(item: FoundItemFragment): void }) {
  const { imports } = useStrings();
  const { data, parentItemId, productId, status, errorMessage, questionCount } = item;
  const options = Object.entries(data.variantOptions as Record<string, string>).map(([name, value]) => `${name}: ${value}`);
  const detail = errorMessage ?? options.join(', ');
  return (
    <Group gap={6} wrap="nowrap" maw={{ base: '42vw', sm: 420 }}>
      {parentItemId && <IconCornerDownRight size={14} aria-hidden />}
      {status === 'completed' ? (
        productId ? (
          <PageLink to={`products/${productId}`} label={data.name} truncate />
        ) : (
          <Text truncate>{data.name}</Text>
        )
      ) : (
        <UnstyledButton onClick={() => onEdit(item)} miw={0}>
          <Text c="var(--mantine-color-anchor)" truncate>
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
