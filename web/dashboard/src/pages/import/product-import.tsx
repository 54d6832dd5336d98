import { Group, Progress, Stack, Text } from '@mantine/core';
import { IconPlayerStop } from '@tabler/icons-react';
import type { ProductImportQuery } from '../../../.graph/graphql.ts';
import { graphql, useAction } from '../../graph/graph-hooks.ts';
import '../../jobs/job-state.tsx';
import { isOpen, PauseButton, useProgress } from '../../jobs/job-state.tsx';
import { Action } from '../../parts/elements.tsx';
import { useStrings } from '../../strings/strings.tsx';

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
