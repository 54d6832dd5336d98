import { Anchor, Badge, Group, Progress, ScrollArea, Stack, Switch, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type {
  EmptyCells,
  FoundItemsQuery,
  ImportMatch,
  ImportMode,
  ImportPageQuery,
  OverwriteMode,
  RunningImportFragment,
} from '../../../.graph/graphql.ts';
import { graphql, useQuery } from '../../graph/graph-hooks.ts';
import { useReread } from '../../graph/use-pages.ts';
import { isOpen, PauseButton, StopButton, useProgress } from '../../jobs/job-state.tsx';
import { Choice, Modal, ticked } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';

graphql(`
  fragment RunningImport on Job { ...JobSummary sequence importCounts { imported failed created updated unchanged } }
`);
export const PRODUCT_IMPORT = graphql(`query ProductImport($id: ID!) { job(id: $id) { id productImport { ...RunningImport } } }`);

export const START_PRODUCT_IMPORT = graphql(`
  mutation StartProductImport(
    $jobId: ID!, $all: Boolean, $itemIds: [ID!], $excludedIds: [ID!]
    $mode: ImportMode!, $matchBy: ImportMatch!, $emptyCells: EmptyCells!, $overwrite: OverwriteMode!
  ) {
    createProductImportJob(
      jobId: $jobId, all: $all, itemIds: $itemIds, excludedIds: $excludedIds
      mode: $mode, matchBy: $matchBy, emptyCells: $emptyCells, overwrite: $overwrite
    ) { ...RunningImport }
  }
`);

const PROGRESS = graphql(`
  subscription ProductImportProgress($id: ID!, $after: Int!) {
    jobProgress(id: $id, after: $after) { sequence job { ...RunningImport } }
  }
`);

export type ProductImport = RunningImportFragment;

/** A job that turns found items into products: its progress while it runs, with what stops it. */
export function RunningImport({ job }: { job: ProductImport }) {
  const { imports, formats } = useStrings();
  useProgress(PROGRESS, job);
  if (!isOpen(job)) return null;
  const { imported = 0 } = job.importCounts ?? {};
  return (
    <Stack gap={4} flex="none" role="group" aria-label={imports.importing}>
      <Group gap="sm">
        <Text role="status" mr="auto">
          {imports.importedSoFar(formats.number(imported))}
        </Text>
        <PauseButton job={job} />
        <StopButton id={job.id} text={imports.stopImportText} />
      </Group>
      <Progress
        size="sm"
        value={job.totalCount > 0 ? (job.processedCount / job.totalCount) * 100 : 0}
        aria-label={imports.importing}
      />
    </Stack>
  );
}

/** How an import treats products that exist. */
export interface UpdateChoice {
  mode: ImportMode;
  matchBy: ImportMatch;
  emptyCells: EmptyCells;
  overwrite: OverwriteMode;
}

export const CREATE_ONLY: UpdateChoice = { mode: 'create', matchBy: 'sku', emptyCells: 'leave', overwrite: 'unreviewed' };

/** The choice whether the found products are new, change existing ones, or both. */
export function ExistingProducts({ options, onChange }: { options: UpdateChoice; onChange(options: UpdateChoice): void }) {
  const { imports } = useStrings();
  const change = (changes: Partial<UpdateChoice>) => onChange({ ...options, ...changes });
  return (
    <Group gap="sm" align="end">
      <Choice label={imports.mode} labels={imports.modes} value={options.mode} onChange={(mode) => change({ mode })} />
      {options.mode !== 'create' && (
        <>
          <Choice
            label={imports.matchBy}
            labels={imports.matches}
            value={options.matchBy}
            onChange={(matchBy) => change({ matchBy })}
          />
          <Switch
            {...ticked(options.emptyCells === 'clear', (isOn) => change({ emptyCells: isOn ? 'clear' : 'leave' }))}
            label={imports.clearEmpty}
          />
          <Switch
            {...ticked(options.overwrite === 'all', (isOn) => change({ overwrite: isOn ? 'all' : 'unreviewed' }))}
            label={imports.replaceReviewed}
          />
        </>
      )}
    </Group>
  );
}

type Differences = FoundItemsQuery['importItems']['nodes'][number]['differences'];

/** The changes that an item makes to its product, before they are written. */
export function Changes({ differences }: { differences?: Differences }) {
  const strings = useStrings();
  const { imports, products, terms } = strings;
  const definitions = useDefinitions();
  if (!differences) return <Text>{products.new}</Text>;
  if (differences.length === 0) return <Text>{terms.noChanges}</Text>;
  const lines = differences.map(({ field, label, before, after, isProtected }) => {
    const definition = field === label ? undefined : definitions.get(field);
    const name = field === label ? (products[field as 'name'] ?? label) : (definition?.name ?? label);
    const textOf = (value: unknown) => formatValue(value as string, definition?.type ?? 'text', strings, definition);
    return isProtected ? imports.protectedChange(name, textOf(before)) : terms.changeOf(name, textOf(before), textOf(after));
  });
  return (
    <Text truncate title={lines.join('\n')} maw={360}>
      {lines.join('; ')}
    </Text>
  );
}

const ACCOUNT = graphql(`
  query ImportAccount($jobId: ID!) {
    importAccount(jobId: $jobId) { rowsRead items inQuestion merged duplicates skipped }
    importNotes(jobId: $jobId, limit: 200) {
      nodes { id kind file sheet row message }
      pagination { total }
    }
  }
`);

interface Props {
  job: ImportPageQuery['job'];
  /** Whether the list shows only items with questions. */
  isFiltered: boolean;
  onFilter(isOn: boolean): void;
}

/** The whereabouts of all rows of the files: found, merged, duplicate or skipped, with a reason for each that became no product. */
export function Account({ job, isFiltered, onFilter }: Props) {
  const { imports, formats } = useStrings();
  const [isOpen, setOpen] = useState(false);
  const [{ data }, read] = useQuery({ query: ACCOUNT, variables: { jobId: job.id } });
  useReread({ retry: () => read({ requestPolicy: 'network-only' }) }, `${job.processedCount} ${job.totalExtracted}`);
  if (!data || data.importAccount.rowsRead === 0) return null;
  const { rowsRead, items, inQuestion, merged, duplicates, skipped } = data.importAccount;
  const parts = [
    [merged, imports.merged, 'gray'],
    [duplicates, imports.duplicates, 'orange'],
    [skipped, imports.skipped, 'orange'],
  ] as const;
  return (
    <Group gap="sm" role="group" aria-label={imports.account(formats.number(rowsRead), formats.number(items))}>
      <Text>{imports.account(formats.number(rowsRead), formats.number(items))}</Text>
      {parts.map(
        ([count, label, color]) =>
          count > 0 && (
            <Badge key={label(formats.number(count))} variant="light" color={color} tt="none" fw={500}>
              {label(formats.number(count))}
            </Badge>
          ),
      )}
      {merged + duplicates + skipped > 0 && (
        <Anchor component="button" type="button" onClick={() => setOpen(true)}>
          {imports.showNotes}
        </Anchor>
      )}
      {(inQuestion > 0 || isFiltered) && (
        <Switch {...ticked(isFiltered, onFilter)} label={imports.inQuestion(formats.number(inQuestion))} />
      )}
      {isOpen && <Notes notes={data.importNotes.nodes} onClose={() => setOpen(false)} />}
    </Group>
  );
}

interface Note {
  id: string;
  kind: 'merged' | 'duplicate' | 'skipped';
  file: string;
  row: number;
  message: string;
}

function Notes({ notes, onClose }: { notes: Note[]; onClose(): void }) {
  const { imports, terms } = useStrings();
  return (
    <Modal onClose={onClose} title={imports.notes} size="xl">
      <ScrollArea.Autosize mah="70vh" viewportProps={{ tabIndex: 0 }}>
        <Table
          data={{
            head: [terms.row, imports.outcome, terms.reason],
            body: notes.map(({ kind, file, row, message }) => [imports.rows(file, String(row)), imports.noteKinds[kind], message]),
          }}
        />
      </ScrollArea.Autosize>
    </Modal>
  );
}
