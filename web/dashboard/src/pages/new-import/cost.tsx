import { Alert, Text } from '@mantine/core';
import { graphql } from '../../graph/graphql.ts';
import { useQuery } from '../../graph/use-query.ts';
import { useFormats, useStrings } from '../../strings/strings.tsx';

const COST = graphql(`
  query ImportCost($fileIds: [ID!]!, $modelType: ModelType!) {
    jobEstimate(kind: "ai-import", uploadedFileIds: $fileIds, modelType: $modelType) { items credits balance isCovered }
  }
`);

/** The most that reading the files can cost, and whether the balance covers it. */
export function Cost(variables: { fileIds: string[]; modelType: 'budget-v1' | 'pro-v1' }) {
  const { imports, newJob } = useStrings();
  const formats = useFormats();
  const [{ data, stale }] = useQuery({ query: COST, variables });
  if (!data) return null;
  const { items, credits, balance, isCovered } = data.jobEstimate;
  return (
    <Alert color={isCovered ? 'blue' : 'red'} opacity={stale ? 0.6 : 1} role="status">
      <Text size="sm">{imports.cost(items, formats.number(items), formats.credits(credits), formats.credits(balance))}</Text>
      {!isCovered && (
        <Text size="sm" fw={500}>
          {newJob.notCovered}
        </Text>
      )}
    </Alert>
  );
}
