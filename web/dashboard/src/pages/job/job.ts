import { graphql } from '../../graph/graphql.ts';
import '../../jobs/summary.ts';

export const JOB = graphql(`
  query JobPage($id: ID!) {
    job(id: $id) {
      ...JobSummary
      sequence duration websearch overwrite prompt totalExtracted
      attributeSet { id name }
      rerunOf { id kind createdAt }
      createdBy { id name email }
      uploadedFiles { id name }
    }
  }
`);

export const JOB_PROGRESS = graphql(`
  subscription JobProgress($id: ID!, $after: Int!) {
    jobProgress(id: $id, after: $after) {
      sequence
      job { ...JobSummary duration sequence }
      items { id status errorMessage cost completedAt overallScore }
    }
  }
`);

export const ITEMS = graphql(`
  query JobItems($id: ID!, $page: Int!, $limit: Int!, $status: JobItemStatus, $search: String!) {
    job(id: $id) {
      id
      items(page: $page, limit: $limit, status: $status, search: $search) {
        nodes { id ordinal label status errorMessage cost completedAt overallScore product { id name sku } }
        pagination { total }
      }
    }
  }
`);

export const STOP_JOB = graphql(`mutation StopJob($id: ID!) { stopJob(id: $id) { ...JobSummary } }`);
export const RERUN_JOB = graphql(`
  mutation RerunJob($id: ID!, $modelType: ModelType!) { rerunJob(jobId: $id, modelType: $modelType) { ...JobSummary } }
`);
