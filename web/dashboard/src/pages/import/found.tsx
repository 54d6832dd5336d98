import { Alert, Anchor, Badge, Button, Group } from '@mantine/core';
import { IconFileSearch } from '@tabler/icons-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useMutation } from 'urql';
import type { FinalizeImportMutation, FoundItemFragment, ImportPageQuery } from '../../../.graph/graphql.ts';
import { usePages, useReread } from '../../graph/pages.ts';
import { isOpen } from '../../jobs/job-state.tsx';
import { DataTable, type Sort } from '../../parts/data-table.tsx';
import { Search } from '../../parts/search.tsx';
import { Empty } from '../../parts/states.tsx';
import { useUrlState } from '../../parts/use-url-state.ts';
import { useAddress } from '../../session/organization.tsx';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { useColumns } from './columns.tsx';
import { FINALIZE, FOUND_ITEMS } from './import.ts';

const DEFAULTS = { search: '', by: 'name', order: 'asc' };
const CHOICES = { by: ['name', 'type'], order: ['asc', 'desc'] };
const EditItem = lazy(async () => ({ default: (await import('./edit-item.tsx')).EditItem }));

type Outcome = FinalizeImportMutation['finalizeAiImportJob'];

/** The products that an import found. They enter the catalog when somebody chooses them. */
export function Found({ job }: { job: ImportPageQuery['job'] }) {
  const { imports } = useStrings();
  const formats = useFormats();
  const [{ search, by, order }, change] = useUrlState(DEFAULTS, CHOICES);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<FoundItemFragment | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const variables = useMemo(() => ({ jobId: job.id, search, sort: `${by}-${order}` as 'name-asc' }), [job.id, search, by, order]);
  const rows = usePages(FOUND_ITEMS, variables, (data) => data.importItems);
  useReread(rows, `${job.totalExtracted} ${job.status}`);
  const columns = useColumns(setEdited);
  const running = isOpen(job);
  return (
    <>
      <Group gap="sm">
        <Search label={imports.search} value={search} onSearch={(text) => change({ search: text })} />
        <Badge variant="transparent" color="gray" c="dimmed" role="status" mr="auto">
          {imports.foundCount(job.totalExtracted ?? 0, formats.number(job.totalExtracted ?? 0))}
        </Badge>
        {!running && (rows.count ?? 0) > 0 && (
          <Finalize
            jobId={job.id}
            selected={selected}
            onDone={(done) => {
              setOutcome(done);
              setSelected(new Set());
            }}
          />
        )}
      </Group>
      {outcome && <Result outcome={outcome} onClose={() => setOutcome(null)} />}
      <DataTable<FoundItemFragment>
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
  selected: ReadonlySet<string>;
  onDone(outcome: Outcome): void;
}

function Finalize({ jobId, selected, onDone }: FinalizeProps) {
  const { imports } = useStrings();
  const formats = useFormats();
  const [{ fetching }, finalize] = useMutation(FINALIZE);
  const count = formats.number(selected.size);
  async function run(choice: { all?: boolean; itemIds?: string[]; excludedIds?: string[] }) {
    const { data } = await finalize({ jobId, ...choice });
    if (data) onDone(data.finalizeAiImportJob);
  }
  if (selected.size === 0) {
    return (
      <Button loading={fetching} onClick={() => run({ all: true })}>
        {imports.all}
      </Button>
    );
  }
  return (
    <>
      <Button variant="default" disabled={fetching} onClick={() => run({ all: true, excludedIds: [...selected] })}>
        {imports.allBut(count)}
      </Button>
      <Button loading={fetching} onClick={() => run({ itemIds: [...selected] })}>
        {imports.chosen(count)}
      </Button>
    </>
  );
}

function Result({ outcome: { imported, failed }, onClose }: { outcome: Outcome; onClose(): void }) {
  const { imports, actions } = useStrings();
  const formats = useFormats();
  const address = useAddress();
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
        {failed > 0 && imports.notImported(failed, formats.number(failed))}
        <Anchor component={Link} to={address('products')} size="sm">
          {imports.toProducts}
        </Anchor>
      </Group>
    </Alert>
  );
}
