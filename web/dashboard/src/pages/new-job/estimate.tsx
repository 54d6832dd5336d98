import { Alert, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useFormats, useStrings } from '../../strings/strings.tsx';
import { type Choices, namesOf } from './start.ts';

const ESTIMATE = graphql(`
  query Estimate($kind: JobKind!, $modelType: ModelType!, $productIds: [ID!], $uploadedFileIds: [ID!], $rows: Int!) {
    jobEstimate(kind: $kind, modelType: $modelType, productIds: $productIds, uploadedFileIds: $uploadedFileIds, rows: $rows) {
      items credits balance isCovered
    }
  }
`);

/** The most that the job can cost, and whether the balance covers it. */
export function Estimate({ choices }: { choices: Choices }) {
  const { newJob } = useStrings();
  const formats = useFormats();
  const [{ kind, modelType, productIds, files, names }] = useDebouncedValue(choices, 300);
  const rows = namesOf(names).length;
  const ofProducts = kind.startsWith('product-') && kind !== 'product-category-enrichment';
  const variables = ofProducts
    ? { kind, modelType, productIds, rows: 0 }
    : kind === 'ai-import'
      ? { kind, modelType, uploadedFileIds: files, rows: 0 }
      : { kind, modelType, rows };
  const isEmpty = ofProducts ? productIds.length === 0 : kind === 'ai-import' ? files.length === 0 : rows === 0;
  const [{ data, stale }] = useQuery({ query: ESTIMATE, variables, pause: isEmpty });
  if (isEmpty || !data) return null;
  const { items, credits, balance, isCovered } = data.jobEstimate;
  return (
    <Alert color={isCovered ? 'blue' : 'red'} opacity={stale ? 0.6 : 1} role="status">
      <Text size="sm">{newJob.estimate(items, formats.number(items), formats.credits(credits), formats.credits(balance))}</Text>
      {!isCovered && (
        <Text size="sm" fw={500}>
          {newJob.notCovered}
        </Text>
      )}
    </Alert>
  );
}
