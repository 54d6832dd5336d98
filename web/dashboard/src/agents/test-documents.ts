import type { TestCasesQuery, TestRunPageQuery, TestSetsQuery } from '../../.graph/graphql.ts';
import { graphql } from '../graph/graph-hooks.ts';

graphql(`
  fragment RunSummary on TestRun {
    id testSetId testSetName target trigger authorName status error repeats credits version caseCount total finished sequence
    regressions share createdAt finishedAt
    draft { always sometimes never }
    published { always sometimes never }
  }
`);
export const TEST_SETS = graphql(`
  query TestSets($agentId: ID!) {
    agent(id: $agentId) { id draftId publishRequires { testSetId share } }
    testSets(agentId: $agentId) { id agentId name nightly caseCount lastRun { ...RunSummary } }
  }
`);
export const CREATE_SET = graphql(`
  mutation CreateTestSet($agentId: ID!, $input: NewTestSet!) { createTestSet(agentId: $agentId, input: $input) { id } }
`);
export const UPDATE_SET = graphql(`
  mutation UpdateTestSet($id: ID!, $input: TestSetChange!) { updateTestSet(id: $id, input: $input) { id name nightly } }
`);
export const TEST_CASES = graphql(`
  query TestCases($testSetId: ID!, $page: Int!, $limit: Int!) {
    testCases(testSetId: $testSetId, page: $page, limit: $limit) {
      nodes {
        id name messages expectation origin
        identity { subject email name claims }
        customer { goal manner maxMessages }
        checks { kind text number unit tool arguments }
        recordings { tool arguments output error }
      }
      pagination { total }
    }
  }
`);
export const TEST_RUN = graphql(`
  query TestRunPage($id: ID!) { testRun(id: $id) { ...RunSummary } }
`);

export type TestSetRow = TestSetsQuery['testSets'][number];
export type TestCaseRow = TestCasesQuery['testCases']['nodes'][number];
export type RunRow = TestRunPageQuery['testRun'];

/** The address of a test set or of a run, among the tests of an agent. */
export const testsAddress = (agentId: string, place: { set?: string; run?: string; case?: string } = {}): string => {
  const parameters = new URLSearchParams(place as Record<string, string>).toString();
  return `agents/${agentId}/tests${parameters && `?${parameters}`}`;
};
