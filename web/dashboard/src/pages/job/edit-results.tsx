import { Group, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconListSearch } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { JobPageQuery, ProductEditResultsQuery, ProductEditResultsQueryVariables } from '../../../.graph/graphql.ts';
import { graphql, useButton } from '../../graph/graph-hooks.ts';
import { usePages, useReread } from '../../graph/use-pages.ts';
import { isOpen } from '../../jobs/job-state.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Action, PageLink } from '../../parts/elements.tsx';
import { Segments } from '../../parts/forms-and-dialogs.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { ContentChanges } from '../../products/bulk-edit.tsx';
import { useGo } from '../../session/session.tsx';
import { useStrings } from '../../strings/strings.tsx';

const RESULTS = graphql(`
  query ProductEditResults($page: Int!, $limit: Int!, $jobId: ID!, $outcome: ProductEditOutcome!) {
    productEditResults(page: $page, limit: $limit, jobId: $jobId, outcome: $outcome) {
      nodes { productId sku message changes { field attribute label before after } product { id name } }
      pagination { total }
    }
  }
`);
const UNDO = graphql(`mutation UndoProductEdit($id: ID!) { undoProductEdit(jobId: $id) { ...JobSummary } }`);

type Job = JobPageQuery['job'];
type Row = ProductEditResultsQuery['productEditResults']['nodes'][number] & { id: string };
const DEFAULTS = { outcome: 'changed' };
const CHOICES = { outcome: ['changed', 'refused'] } as const;

/** Undoes an ended bulk edit, and shows the job that does so. */
export function UndoButton({ job }: { job: Job }) {
  const { actions } = useStrings();
  const { leaveTo } = useGo();
  const undo = useButton(UNDO, { after: ({ undoProductEdit: { id } }) => leaveTo(`jobs/${id}`) });
  if (isOpen(job) || !job.productEdit?.changed || job.productEdit.undoneById) return null;
  return <Action label={actions.undo} variant="default" icon={IconArrowBackUp} {...undo({ id: job.id })} />;
}

/** The result of a bulk edit: the numbers of products, and each product that it changed or left as it is. */
export function EditResults({ job }: { job: Job }) {
  const { productEdits, terms, formats } = useStrings();
  const [{ outcome }, , bind] = useUrlState(DEFAULTS, CHOICES);
  const variables = useMemo(
    () => ({ jobId: job.id, outcome: outcome as ProductEditResultsQueryVariables['outcome'] }),
    [job.id, outcome],
  );
  const rows = usePages(RESULTS, variables, ({ productEditResults: { nodes, pagination } }) => ({
    nodes: nodes.map((node): Row => ({ ...node, id: node.productId })),
    pagination,
  }));
  useReread(rows, `${job.processedCount} ${job.status}`);
  const columns = useColumns();
  if (!job.productEdit) return null;
  const { products, changed, unchanged, refused, deleted, undoOfId, undoneById } = job.productEdit;
  const numbers = [products, changed, unchanged, refused].map(formats.number) as [string, string, string, string];
  return (
    <Stack gap="sm" flex={1} mih={0}>
      <Group gap="md">
        <Text role="status">
          {productEdits.resultText(...numbers)}
          {deleted > 0 && ` ${productEdits.deletedText(formats.number(deleted))}`}
        </Text>
        {undoOfId && <PageLink to={`jobs/${undoOfId}`} label={productEdits.undoOf} />}
        {undoneById && <PageLink to={`jobs/${undoneById}`} label={productEdits.undone} />}
      </Group>
      <Segments {...bind('outcome')} aria-label={terms.result} labels={productEdits.outcomes} />
      <DataTable<Row>
        fixed
        label={terms.result}
        columns={columns}
        rows={rows}
        empty={{ icon: IconListSearch, title: productEdits.noResults, text: productEdits.noResultsText }}
      />
    </Stack>
  );
}

function useColumns(): Column<Row>[] {
  const { products, terms } = useStrings();
  return useMemo(
    () => [
      {
        key: 'name',
        title: products.name,
        width: 260,
        cell: ({ productId, product, sku }) => (product ? <PageLink to={`products/${productId}`} label={product.name} /> : sku),
      },
      { key: 'sku', title: products.sku, from: 'sm', width: 130, cell: ({ sku }) => sku },
      {
        key: 'result',
        title: terms.result,
        cell: ({ message, changes }) => (
          <>
            <ContentChanges changes={changes} />
            {message && <Text>{message}</Text>}
          </>
        ),
      },
    ],
    [products, terms],
  );
}
