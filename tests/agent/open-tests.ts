import type { Scope } from '../../platform/scope/index.ts';
import { openModel } from '../../start/process-services.ts';
import { agent as agentSubgraph } from '../../subgraphs/agent/agent.ts';
import { agentTables } from '../../subgraphs/agent/tables.ts';
import * as engine from '../../subgraphs/agent/test-runs/repeats.ts';
import { startChatProvider } from '../support/chat-provider.ts';
import { openSubgraph } from '../support/subgraph.ts';
import { openInProcess } from './in-process.ts';

export const ADD_CASE =
  'mutation ($set: ID!, $input: NewTestCase!) { made: createTestCase(testSetId: $set, input: $input) { id } }';
const RUN = `query ($id: ID!) { testRun(id: $id) {
  status error total finished credits share regressions draft { always sometimes never } published { always sometimes never }
  cases(page: 1, limit: 50, regressed: false) { nodes { name draft published regressed results {
    target repeat status error credits inputTokens turns { question reply declined calls { tool arguments answer output error } }
    checks { check { kind } passed reason } judgment { agrees reason } } } } } }`;

/** An organization with agents and test sets, whose runs work in this process with a scripted model. */
export async function openTests(options: { credits?: number; modules?: string[] } = {}) {
  const provider = await startChatProvider();
  const settings = {
    ...{ MODEL_TIMEOUT: 60, MODEL_CONCURRENCY: 8, MODEL_CHAT: 'stub', MODEL_CHAT_PRO: 'stub', MODEL_EMBEDDING: 'stub' },
    ...{ OPENAI_API_KEY: 'test', OPENAI_BASE_URL: provider.url },
  };
  const model = openModel(settings as Parameters<typeof openModel>[0])!;
  const graph = await openSubgraph(agentSubgraph, agentTables, { allowHosts: ['127.0.0.1'], model });
  const own = await openInProcess(graph.url);
  const organization = await graph.seed({ credits: 1_000, ...options });
  const admin = graph.caller(organization.key);
  let made = 0;
  const make = async (text: string, variables: object): Promise<string> => (await admin.ask(text, { ...variables })).made.id;
  const start = (set: string, input: object = {}) =>
    make('mutation ($set: ID!, $input: NewTestRun!) { made: startTestRun(testSetId: $set, input: $input) { id } }', {
      set,
      input: { target: 'draft', repeats: 1, ...input },
    });
  /** The work of the workflow. */
  const work = async (runId: string, organizationId = organization.id): Promise<void> => {
    const scope = (): Scope => own.scopeOf(organizationId);
    if (!(await engine.beginRun(scope(), runId))) return;
    for (const { resultId } of await engine.openResults(scope(), runId, 0, 1_000))
      await engine.runResult({ ...scope(), model, signal: new AbortController().signal }, resultId);
    await engine.finishRun(scope(), runId);
  };
  const runOf = async (id: string) => (await admin.ask(RUN, { id })).testRun;
  return {
    ...{ provider, model, graph, own, organization, admin, make, start, work, runOf },
    createAgent(input: object = {}) {
      made += 1;
      const base = { name: `Zoe ${made}`, systemPrompt: 'Be kind.', maxRetrievalTokens: 0, temperature: 0 };
      return make('mutation ($input: NewAgent!) { made: createAgent(input: $input) { id } }', { input: { ...base, ...input } });
    },
    change: (id: string, input: object) =>
      admin.ask('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', { id, input }),
    createSet: (agentId: string, input: object = {}) =>
      make('mutation ($agentId: ID!, $input: NewTestSet!) { made: createTestSet(agentId: $agentId, input: $input) { id } }', {
        agentId,
        input: { name: 'Basics', nightly: false, ...input },
      }),
    addCase: (set: string, input: object) => make(ADD_CASE, { set, input: { checks: [{ kind: 'answers' }], ...input } }),
    openDraft: (agentId: string) =>
      make('mutation ($agentId: ID!) { made: openAgentDraft(agentId: $agentId) { id } }', { agentId }),
    addTool: (agentId: string, input: object) =>
      make('mutation ($agentId: ID!, $input: NewTool!) { made: createTool(agentId: $agentId, input: $input) { id } }', {
        agentId,
        input: { description: 'A tool.', endpointUrl: 'http://127.0.0.1:9/never', method: 'POST', ...input },
      }),
    /** Starts a run and works it off. */
    async play(set: string, input: object = {}) {
      const id = await start(set, input);
      await work(id);
      return runOf(id);
    },
    requireTests: (agentId: string, requirement: object | null) =>
      admin.ask(
        'mutation ($agentId: ID!, $r: NewPublishRequirement) { requireTestsToPublish(agentId: $agentId, requirement: $r) { version publishRequires { testSetId share } } }',
        { agentId, r: requirement },
      ),
    /** The reason for which a draft cannot be published. */
    refusalOf: async (draft: string): Promise<string | null> =>
      (await admin.ask('query ($id: ID!) { agent(id: $id) { publishRefusal } }', { id: draft })).agent.publishRefusal,
    async close() {
      await own.close();
      await graph.close();
      await provider.close();
    },
  };
}
