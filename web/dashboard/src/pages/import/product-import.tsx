import { Group, Progress, Stack, Switch, Text } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import type {
  EmptyCells,
  FoundItemsQuery,
  ImportMatch,
  ImportMode,
  OverwriteMode,
  ProductImportQuery,
} from '../../../.graph/graphql.ts';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import { isOpen, PauseButton, useProgress } from '../../jobs/job-state.tsx';
import { Action } from '../../parts/elements.tsx';
import { Choice } from '../../parts/forms-and-dialogs.tsx';
import { useStrings } from '../../strings/strings.tsx';
import { useDefinitions } from '../../values/definitions.ts';
import { formatValue } from '../../values/format.ts';

export const PRODUCT_IMPORT = graphql(`
  query ProductImport($id: ID!) {
    job(id: $id) {
      id productImport { ...JobSummary sequence importCounts { imported failed created updated unchanged } }
    }
  }
`);

export const START_PRODUCT_IMPORT = graphql(`
  mutation StartProductImport(
    $jobId: ID!, $all: Boolean, $itemIds: [ID!], $excludedIds: [ID!]
    $mode: ImportMode!, $matchBy: ImportMatch!, $emptyCells: EmptyCells!, $overwrite: OverwriteMode!
  ) {
    createProductImportJob(
      jobId: $jobId, all: $all, itemIds: $itemIds, excludedIds: $excludedIds
      mode: $mode, matchBy: $matchBy, emptyCells: $emptyCells, overwrite: $overwrite
    ) { ...JobSummary sequence importCounts { imported failed created updated unchanged } }
  }
`);

const PROGRESS = graphql(`
  subscription ProductImportProgress($id: ID!, $after: Int!) {
    jobProgress(id: $id, after: $after) {
      sequence
      job { ...JobSummary sequence importCounts { imported failed created updated unchanged } }
    }
  }
`);

const STOP = graphql(`mutation StopProductImport($id: ID!) { stopJob(id: $id) { ...JobSummary } }`);

export type ProductImport = NonNullable<ProductImportQuery['job']['productImport']>;

/** A job that turns found items into products: its progress while it runs, with what stops it. */
export function RunningImport({ job }: { job: ProductImport }) {
  const { imports, jobs, formats } = useStrings();
  useProgress(PROGRESS, job);
  const [stop, isStopping] = useAction(STOP, { ask: { title: jobs.stop, text: imports.stopImportText, action: jobs.stop } });
  if (!isOpen(job)) return null;
  const { imported = 0 } = job.importCounts ?? {};
  return (
    <Stack gap={4} flex="none" role="group" aria-label={imports.importing}>
      <Group gap="sm">
        <Text role="status" mr="auto">
          {imports.importedSoFar(formats.number(imported))}
        </Text>
        <PauseButton job={job} />
        <Action
          label={jobs.stop}
          variant="light"
          color="red"
          loading={isStopping}
          icon={IconPlayerStop}
          onClick={() => stop({ id: job.id })}
        />
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
            label={imports.clearEmpty}
            checked={options.emptyCells === 'clear'}
            onChange={({ currentTarget }) => change({ emptyCells: currentTarget.checked ? 'clear' : 'leave' })}
          />
          <Switch
            label={imports.replaceReviewed}
            checked={options.overwrite === 'all'}
            onChange={({ currentTarget }) => change({ overwrite: currentTarget.checked ? 'all' : 'unreviewed' })}
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
