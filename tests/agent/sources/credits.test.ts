import { DIMENSIONS, type Model } from '../../../platform/model/model-client.ts';
import { detached } from '../../../platform/scope/index.ts';
import { chunkSource, embedChunks } from '../../../subgraphs/agent/ingestion/ingestion-steps.ts';
import { publishChunks } from '../../../subgraphs/agent/ingestion/publish.ts';
import { beginSource, failSource, type IngestionScope, type NextStep } from '../../../subgraphs/agent/ingestion/source-state.ts';
import { CREATE, openAgents } from '../operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());
const { pool } = graph.services;

const NO_CREDITS = 'Credit limit reached. Please top up your credits, then refresh the source.';
const STEPS = { chunkSource, embedChunks, publishChunks } as const;
/** A text of this number of passages, of which those from `changed` on are others. */
const textOf = (passages: number, changed = passages) =>
  Array.from({ length: passages }, (_, at) => `# Part ${at}\nPassage ${at}${at < changed ? '' : ' is new'}.`).join('\n');

/** A source of the type text, and the steps of its ingestion. */
async function seedSource(credits: number, passages: number) {
  const { id: organizationId, key } = await graph.seed({ credits });
  const caller = graph.caller(key);
  const { createAgent } = await caller.ask(CREATE, { input: { name: 'Support' } });
  const create = 'mutation ($agentId: ID!, $input: NewSource!) { createSource(agentId: $agentId, input: $input) { id } }';
  const input = { type: 'text', name: 'Notes', text: textOf(passages) };
  const id: string = (await caller.ask(create, { agentId: createAgent.id, input })).createSource.id;
  const embedded: string[] = [];
  const model = {
    embedding: 'm',
    async embed(texts: string[]) {
      embedded.push(...texts);
      return texts.map(() => new Float32Array(DIMENSIONS).fill(0.1));
    },
  } as unknown as Model;
  const scope = (with_ = model) =>
    ({ ...detached({ organizationId, services: graph.services }), model: with_, perOrganization: 8 }) as IngestionScope;
  return {
    id,
    caller,
    agentId: createAgent.id as string,
    embedded,
    scope,
    /** Run all steps as the workflow does. Returns the error of a source that failed. */
    async run(): Promise<string | undefined> {
      try {
        let next: NextStep = await beginSource(scope(), id);
        while (next.step !== 'done') next = await STEPS[next.step as keyof typeof STEPS](scope(), id);
        return undefined;
      } catch (error) {
        const { message } = error as Error;
        await failSource(scope(), id, message, true);
        await failSource(scope(), id, message, false);
        return message;
      }
    },
    async refresh(text?: string) {
      if (text !== undefined) await pool.query('update agent.sources set text = $2 where id = $1', [id, text]);
      await caller.ask('mutation ($id: ID!) { refreshSource(id: $id) { status } }', { id });
    },
    topUp: (amount: number) =>
      pool.query('update identity.organizations set credits = credits + $2 where id = $1', [organizationId, amount]),
    async account() {
      const { rows } = await pool.query(
        `select o.credits::float8 as balance, s.status, s.chunk_count as chunks,
                (select json_agg(amount order by id) from identity.credit_entries e where e.organization_id = o.id) as entries,
                (select json_object_agg(kind, credits) from identity.credit_usage u where u.organization_id = o.id) as usage
           from identity.organizations o, agent.sources s where o.id = $1 and s.id = $2`,
        [organizationId, id],
      );
      return rows[0];
    },
  };
}

test('a run charges its new passages as one entry, and unchanged passages are free', async () => {
  const { run, refresh, account, embedded } = await seedSource(10, 100);
  expect(await run()).toBeUndefined();
  expect(await account()).toEqual({ balance: 9.9, status: 'ready', chunks: 100, entries: [-0.1], usage: { indexing: 0.1 } });
  await refresh();
  await run();
  expect(embedded).toHaveLength(100);
  await refresh(textOf(100, 97));
  await run();
  expect(embedded).toHaveLength(103);
  expect(await account()).toMatchObject({ balance: 9.897, entries: [-0.1, -0.003], usage: { indexing: 0.103 } });
});

test('new vectors of unchanged passages are free when the operator has changed their model', async () => {
  const { run, refresh, account, embedded } = await seedSource(10, 3);
  await run();
  await pool.query(`update agent.chunks set embedding_model = 'former'`);
  await refresh();
  await run();
  expect(embedded).toHaveLength(6);
  expect(await account()).toMatchObject({ balance: 9.997, entries: [-0.003] });
});

test('two attempts of a step charge its passages once, and an attempt that stores nothing charges nothing', async () => {
  const { id, scope, account } = await seedSource(10, 20);
  await beginSource(scope(), id);
  await chunkSource(scope(), id);
  const failing = { embedding: 'm', embed: () => Promise.reject(new Error('killed')) } as unknown as Model;
  await expect(embedChunks(scope(failing), id)).rejects.toThrow('killed');
  expect(await account()).toMatchObject({ balance: 10, entries: null });
  const both = Promise.withResolvers<void>();
  let asked = 0;
  const slow = {
    embedding: 'm',
    async embed(texts: string[]) {
      asked += 1;
      if (asked === 2) both.resolve();
      await both.promise;
      return texts.map(() => new Float32Array(DIMENSIONS).fill(0.1));
    },
  } as unknown as Model;
  await Promise.all([embedChunks(scope(slow), id), embedChunks(scope(slow), id)]);
  // The worker was killed before it reported the step, which runs again.
  expect(await embedChunks(scope(failing), id)).toEqual({ step: 'publishChunks' });
  expect(await account()).toMatchObject({ balance: 9.98, entries: [-0.02] });
});

test('without credits a new source fails before its content is read, and can be refreshed once there are credits', async () => {
  const { run, refresh, topUp, account, embedded } = await seedSource(0, 3);
  expect(await run()).toBe(NO_CREDITS);
  expect(await account()).toMatchObject({ status: 'failed', balance: 0, entries: null });
  expect(embedded).toEqual([]);
  await topUp(1);
  await refresh();
  expect(await run()).toBeUndefined();
  expect(await account()).toMatchObject({ status: 'ready', chunks: 3, balance: 0.997 });
});

test('a refresh without credits keeps what is indexed', async () => {
  const { run, refresh, account } = await seedSource(0.003, 3);
  await run();
  await refresh(textOf(4));
  expect(await run()).toBe(NO_CREDITS);
  expect(await account()).toMatchObject({ status: 'failed', chunks: 3, balance: 0 });
});

test('vectors that were paid for stay when the credits run out, and are used by the next run', async () => {
  // The first request has 64 passages.
  const source = await seedSource(0.08, 100);
  expect(await source.run()).toBe(NO_CREDITS);
  expect(await source.account()).toMatchObject({ status: 'failed', balance: 0.016, entries: [-0.064] });
  await source.refresh();
  expect(await source.run()).toBe(NO_CREDITS);
  await source.topUp(1);
  await source.refresh();
  expect(await source.run()).toBeUndefined();
  expect(source.embedded).toHaveLength(100);
  expect(await source.account()).toMatchObject({ status: 'ready', chunks: 100, balance: 0.98, entries: [-0.064, -0.036] });
  const { rows } = await pool.query('select count(*)::int as left from agent.staged_chunks where source_id = $1', [source.id]);
  expect(rows).toEqual([{ left: 0 }]);
});

test('nothing is checked or refused where credits are not required', async () => {
  const services = { ...graph.services, requireCredits: false };
  const { id, scope, account } = await seedSource(0, 3);
  const free = () => ({ ...scope(), services });
  await beginSource(free(), id);
  await chunkSource(free(), id);
  await embedChunks(free(), id);
  expect(await account()).toMatchObject({ balance: -0.003, entries: [-0.003] });
});

test('the test of the retrieval is charged as one entry per day, and refused without credits', async () => {
  const { caller, agentId, account, topUp } = await seedSource(0, 1);
  const ask = `query ($agentId: ID!) { testRetrieval(agentId: $agentId, question: "Passage?") { tokens } }`;
  expect(await caller.refusal(ask, { agentId })).toBe(
    'OUT_OF_CREDITS: Credit limit reached. Please top up your credits to test the retrieval.',
  );
  await topUp(0.0025);
  const answers = await Promise.all([1, 2, 3].map(() => caller.refusal(ask, { agentId })));
  expect(answers.filter((each) => each?.startsWith('OUT_OF_CREDITS'))).toHaveLength(1);
  expect(await account()).toMatchObject({ balance: 0.0005, entries: [-0.002], usage: { 'retrieval-test': 0.002 } });
});
