import { graphql } from '../graph/graphql.ts';

// The state of a job in lists. The subscription of the shell keeps these fields current.
graphql(`
  fragment JobSummary on Job {
    id kind status paused pauseReason modelType totalCount processedCount successCount failedCount cost errorSummary createdAt startedAt completedAt
  }
`);
