import type { Client, OperationResult } from 'urql';
import type { JobFileQuery, JobPageQuery } from '../../../.graph/graphql.ts';
import { graphql } from '../../graph/graphql.ts';
import { saveCsv } from '../../parts/csv.ts';

const FILE = graphql(`
  query JobFile($id: ID!, $kind: JobKind, $after: String) {
    enrichmentFile(jobId: $id, kind: $kind, after: $after) { name columns rows next }
  }
`);

/** Save the submitted rows of a brand or category job with the values that it filled in. */
export async function saveResults(client: Client, { id, kind }: JobPageQuery['job']): Promise<void> {
  const rows: string[][] = [];
  let after: string | null | undefined;
  for (;;) {
    const { data, error }: OperationResult<JobFileQuery> = await client.query(
      FILE,
      { id, kind, after },
      { requestPolicy: 'network-only' },
    );
    if (!data) throw error;
    const { name, columns, rows: more, next } = data.enrichmentFile;
    rows.push(...more);
    if (!next) return saveCsv(name, columns, rows);
    after = next;
  }
}
