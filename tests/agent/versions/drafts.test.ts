import { agent as agentSubgraph } from '../../../subgraphs/agent/agent.ts';
import { agentTables } from '../../../subgraphs/agent/tables.ts';
import { currentVersion } from '../../../subgraphs/agent/versions/service.ts';
import { openSubgraph } from '../../support/subgraph.ts';
import { until } from '../../support/until.ts';
import { openInProcess } from '../in-process.ts';

const graph = await openSubgraph(agentSubgraph, agentTables, { allowHosts: ['127.0.0.1'] });
const own = await openInProcess(graph.url);
afterAll(async () => {
  await own.close();
  await graph.close();
});
const { pool } = graph.services;
const acme = await graph.seed();
const other = await graph.seed();
const admin = graph.caller(acme.key);
const stranger = graph.caller(other.key);

const TOOL = { name: 'stock', description: 'Looks up the stock.', endpointUrl: 'http://127.0.0.1:9/stock', method: 'GET' };
const FORM = {
  name: 'order',
  title: 'Order',
  fields: [{ name: 'sku', label: 'SKU', type: 'text', required: true, options: [] }],
  enabled: true,
};

let made = 0;
/** An agent with a tool, an MCP server with a chosen tool, and a form. */
async function createAgent(settings: object = {}) {
  made += 1;
  const input = { name: `Zoe ${made}`, systemPrompt: 'Be kind.', ...settings };
  const { createAgent: agent } = await admin.ask('mutation ($input: NewAgent!) { createAgent(input: $input) { id publicSlug } }', {
    input,
  });
  await addTool(agent.id);
  await admin.ask('mutation ($id: ID!, $input: NewMcpServer!) { createMcpServer(agentId: $id, input: $input) { id } }', {
    id: agent.id,
    input: { name: 'Shop', url: 'http://127.0.0.1:9/mcp' },
  });
  await admin.ask('mutation ($id: ID!, $input: NewCustomForm!) { createCustomForm(agentId: $id, input: $input) { id } }', {
    id: agent.id,
    input: FORM,
  });
  return agent as { id: string; publicSlug: string };
}
const addTool = (agentId: string, tool: object = {}) =>
  admin.ask('mutation ($id: ID!, $input: NewTool!) { createTool(agentId: $id, input: $input) { id } }', {
    id: agentId,
    input: { ...TOOL, ...tool },
  });
const removeTool = (agentId: string, id: string) =>
  admin.ask('mutation ($agentId: ID!, $id: ID!) { deleteTool(agentId: $agentId, id: $id) { deleted } }', { agentId, id });
const open = async (agentId: string): Promise<string> =>
  (await admin.ask('mutation ($agentId: ID!) { openAgentDraft(agentId: $agentId) { id } }', { agentId })).openAgentDraft.id;
const change = (id: string, input: object) =>
  admin.ask('mutation ($id: ID!, $input: AgentChange!) { updateAgent(id: $id, input: $input) { id } }', { id, input });
const PUBLISH = `mutation ($id: ID!, $note: String! = "", $overwrite: Boolean! = false) {
  publishAgentDraft(id: $id, note: $note, overwrite: $overwrite) { number note published authorName agentId changes { part name field before after } }
}`;
const publish = async (id: string, options: object = {}) =>
  (await admin.ask(PUBLISH, { id, note: '', overwrite: false, ...options })).publishAgentDraft;
const STATE = `query ($id: ID!) {
  agent(id: $id) { name systemPrompt temperature publicSlug draftOf draftId version draftChanges { part name field before after } }
  tools(agentId: $id) { id name description enabled } forms: agentForms(agentId: $id) { name title } mcpServers(agentId: $id) { name url }
}`;
const stateOf = (id: string) => admin.ask(STATE, { id });
const versionsOf = async (agentId: string) =>
  (
    await admin.ask(
      'query ($agentId: ID!) { agentVersions(agentId: $agentId, page: 1, limit: 20) { nodes { id number note published } pagination { total } } }',
      { agentId },
    )
  ).agentVersions;

test('a draft begins as its agent, and its changes concern nobody else until it is published', async () => {
  const { id } = await createAgent();
  const draftId = await open(id);
  expect(await open(id)).toBe(draftId);
  const before = await stateOf(id);
  const [live, draft] = [before, await stateOf(draftId)];
  expect(draft.agent).toMatchObject({
    name: live.agent.name,
    systemPrompt: 'Be kind.',
    draftOf: id,
    draftId: null,
    draftChanges: [],
  });
  expect([draft.forms, draft.mcpServers, draft.tools.map(({ name }: { name: string }) => name)]).toEqual([
    live.forms,
    live.mcpServers,
    ['stock'],
  ]);

  await change(draftId, { systemPrompt: 'Be brief.', temperature: 0.1 });
  await addTool(draftId, { name: 'price' });
  await removeTool(draftId, draft.tools[0].id);
  const changes = (await stateOf(draftId)).agent.draftChanges;
  expect(changes).toMatchObject([
    { part: 'settings', name: null, field: 'systemPrompt', before: 'Be kind.', after: 'Be brief.' },
    { part: 'settings', name: null, field: 'temperature', before: '0.7', after: '0.1' },
    { part: 'tool', name: 'price', field: null, before: null },
    { part: 'tool', name: 'stock', field: null, after: null },
  ]);
  expect(await stateOf(id)).toEqual({ ...before, agent: { ...before.agent, draftId } });

  const published = await publish(draftId, { note: 'Shorter' });
  expect(published).toEqual({
    number: 2,
    note: 'Shorter',
    published: true,
    authorName: expect.stringMatching(/^User /),
    agentId: id,
    changes,
  });
  const after = await stateOf(id);
  expect(after.agent).toMatchObject({
    systemPrompt: 'Be brief.',
    temperature: 0.1,
    draftId: null,
    version: 2,
    publicSlug: live.agent.publicSlug,
  });
  expect(after.tools.map(({ name }: { name: string }) => name)).toEqual(['price']);
  expect(await admin.refusal('query ($id: ID!) { agent(id: $id) { id } }', { id: draftId })).toBe('NOT_FOUND: Agent not found');
  expect(await versionsOf(id)).toMatchObject({
    nodes: [{ number: 2 }, { number: 1, published: false, note: '' }],
    pagination: { total: 2 },
  });
});

test('rows of a draft that keep their names keep their ids in the agent', async () => {
  const { id } = await createAgent();
  const [tool] = (await stateOf(id)).tools;
  const draftId = await open(id);
  const [copy] = (await stateOf(draftId)).tools;
  await admin.ask(
    'mutation ($of: ID!, $id: ID!) { updateTool(agentId: $of, id: $id, input: { description: "Other", enabled: false }) { id } }',
    { of: draftId, id: copy.id },
  );
  await publish(draftId);
  expect((await stateOf(id)).tools).toEqual([{ ...tool, description: 'Other', enabled: false }]);
});

test('every column of an agent and its parts reaches the draft and comes back', async () => {
  const { id } = await createAgent();
  const draftId = await open(id);
  const content = async (of: string) => (await pool.query('select agent.content_of($1) as content', [of])).rows[0].content;
  expect(await content(draftId)).toEqual(await content(id));
  for (const [table, ignored] of Object.entries({ tools: ['mcp_server_id'], mcp_servers: [], forms: [] })) {
    const { rows } = await pool.query(
      `select array_agg(column_name::text) as names from information_schema.columns where table_schema = 'agent' and table_name = $1
          and column_name <> all('{id,organization_id,agent_id,created_at,updated_at}')`,
      [table],
    );
    const [entry] = (await content(id))[table === 'mcp_servers' ? 'servers' : table];
    expect(
      Object.keys(entry)
        .filter((name) => name !== 'server')
        .sort(),
    ).toEqual(rows[0].names.filter((name: string) => !ignored.includes(name as never)).sort());
  }
});

test('an earlier version comes back as a draft, and as a new version', async () => {
  const { id } = await createAgent();
  const first = await open(id);
  await change(first, { systemPrompt: 'Be brief.' });
  await removeTool(first, (await stateOf(first)).tools[0].id);
  await publish(first);
  const [, oldest] = (await versionsOf(id)).nodes;
  const { restoreAgentVersion: draft } = await admin.ask('mutation ($id: ID!) { restoreAgentVersion(id: $id) { id draftOf } }', {
    id: oldest.id,
  });
  expect(draft.draftOf).toBe(id);
  expect((await stateOf(id)).agent.systemPrompt).toBe('Be brief.');
  expect(await publish(draft.id, { note: 'Back' })).toMatchObject({ number: 3 });
  expect(await stateOf(id)).toMatchObject({ agent: { systemPrompt: 'Be kind.', version: 3 }, tools: [{ name: 'stock' }] });
  const { agentVersion } = await admin.ask('query ($id: ID!) { agentVersion(id: $id) { changes(since: 3) { part name field } } }', {
    id: oldest.id,
  });
  expect(agentVersion.changes).toEqual([]);
});

test('changes of the agent itself since the draft began are a conflict, unless the draft should win', async () => {
  const { id } = await createAgent();
  const draftId = await open(id);
  await change(draftId, { systemPrompt: 'Draft' });
  await change(id, { systemPrompt: 'Direct' });
  expect(await admin.refusal(PUBLISH, { id: draftId, note: '', overwrite: false })).toMatch(
    /^CONFLICT: The agent has changed since the draft began\./,
  );
  expect((await stateOf(id)).agent).toMatchObject({ systemPrompt: 'Direct', draftId });
  expect(await publish(draftId, { overwrite: true })).toMatchObject({ number: 3 });
  expect((await stateOf(id)).agent.systemPrompt).toBe('Draft');
  expect((await versionsOf(id)).nodes).toMatchObject([
    { number: 3, published: true },
    { number: 2, published: false },
    { number: 1 },
  ]);
});

test('a change and its opposite leave the version, and what concerns only the operation of an agent makes none', async () => {
  const { id } = await createAgent();
  const scope = own.scopeOf(acme.id);
  expect(await currentVersion(scope, id)).toBe(1);
  await change(id, {
    allowedOrigins: ['https://shop.example.com'],
    publicAccess: false,
    dailyCreditLimit: 5,
    retentionDays: 9,
  });
  const span = { weekday: 1, opensAt: '09:00', closesAt: '12:00' };
  const officeHours = { timeZone: 'Europe/Berlin', spans: [span], closedDates: [], awayMessage: '' };
  const SET_HOURS =
    'mutation ($id: ID!, $hours: OfficeHoursInput) { setOfficeHours(agentId: $id, officeHours: $hours) { officeHours { timeZone } } }';
  await admin.ask(SET_HOURS, { id, hours: officeHours });
  expect((await stateOf(id)).agent.version).toBe(1);
  const refused = 'UNPROCESSABLE: A draft has no visitors, so it has no office hours.';
  expect(await admin.refusal(SET_HOURS, { id: await open(id), hours: officeHours })).toBe(refused);
  await change(id, { systemPrompt: 'Other' });
  expect((await stateOf(id)).agent.version).toBeNull();
  await change(id, { systemPrompt: 'Be kind.' });
  expect(await currentVersion(scope, id)).toBe(1);
  expect((await versionsOf(id)).pagination.total).toBe(1);
});

test('a version that is made during a change has all of the change or nothing of it', async () => {
  const { id } = await createAgent();
  const writer = await pool.connect();
  await writer.query('begin');
  await writer.query(`update agent.tools set description = 'Changed' where agent_id = $1`, [id]);
  const version = currentVersion(own.scopeOf(acme.id), id);
  const isBlocked = async () =>
    (await pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount! >
    0;
  while (!(await isBlocked())) await new Promise((resolve) => setTimeout(resolve, 10));
  await writer.query('commit');
  writer.release();
  const number = await version;
  const { rows } = await pool.query(
    `select v.content = agent.content_of(a.id) as equal, a.live_version as live from agent.agents a join agent.agent_versions v on v.agent_id = a.id and v.number = $2 where a.id = $1`,
    [id, number],
  );
  expect(rows).toEqual([{ equal: true, live: number }]);
});

test('concurrent publications of one draft make one version', async () => {
  const { id } = await createAgent();
  const draftId = await open(id);
  await change(draftId, { systemPrompt: 'Once' });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => admin.refusal(PUBLISH, { id: draftId, note: '', overwrite: false })),
  );
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
  for (const lost of answers.filter(Boolean))
    expect(lost).toMatch(/^(CONFLICT: The draft was published by .+ meanwhile, as version 2\.|NOT_FOUND: Draft not found)$/);
  expect((await versionsOf(id)).pagination.total).toBe(2);
});

/** Wait until so many statements of the database wait for a lock. */
const waiting = (count: number) =>
  until(async () => {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length >= count;
  });

test('a publication that another one, or a discard, overtakes says what happened', async () => {
  for (const [overtake, told] of [
    [PUBLISH, /^CONFLICT: The draft was published by .+ meanwhile, as version 2\.$/],
    ['mutation ($id: ID!) { discardAgentDraft(id: $id) { id } }', /^CONFLICT: The draft was discarded meanwhile\.$/],
  ] as const) {
    const { id } = await createAgent();
    const draftId = await open(id);
    await change(draftId, { systemPrompt: 'Once' });
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select from agent.agents where id = $1 for update', [id]);
    const variables = { id: draftId, note: '', overwrite: false };
    // The draft is still there when the publications begin.
    const publications = overtake === PUBLISH ? [1, 2] : [1];
    const answers: Promise<string | undefined>[] = [];
    for (const count of publications) {
      answers.push(admin.refusal(PUBLISH, variables));
      await waiting(count);
    }
    if (overtake !== PUBLISH) expect(await admin.refusal(overtake, { id: draftId })).toBeUndefined();
    await client.query('commit');
    client.release();
    const refused = (await Promise.all(answers)).filter(Boolean);
    expect(refused).toEqual([expect.stringMatching(told)]);
  }
});

test('drafts are in no list, have no draft, and visitors cannot reach them', async () => {
  const { id } = await createAgent();
  const draftId = await open(id);
  await change(draftId, { publicAccess: true });
  const { agents, agentSummaries } = await admin.ask('{ agents { id } agentSummaries { id } }');
  for (const list of [agents, agentSummaries]) expect(list.map((each: { id: string }) => each.id)).not.toContain(draftId);
  expect(await admin.refusal('mutation ($agentId: ID!) { openAgentDraft(agentId: $agentId) { id } }', { agentId: draftId })).toBe(
    'CONFLICT: A draft has no draft of its own.',
  );
  for (const agentId of ['x', ''])
    expect(await admin.refusal('mutation ($agentId: ID!) { openAgentDraft(agentId: $agentId) { id } }', { agentId })).toBe(
      'NOT_FOUND: Agent not found',
    );
  const { rows } = await pool.query('select public_slug from agent.agents where id = $1', [draftId]);
  expect(
    await graph
      .caller(undefined, { origin: 'https://shop.example.com' })
      .refusal('query ($slug: String!) { widgetConfig(publicSlug: $slug) { name } }', { slug: rows[0].public_slug }),
  ).toBe('NOT_FOUND: Agent not found');
});

test('a version that needs a deleted secret names it', async () => {
  const { id } = await createAgent();
  const secret = await admin.ask('mutation { createSecret(input: { name: "TOKEN", value: "s3cret" }) { id } }');
  const headersTemplate = { authorization: 'Bearer {{secret:TOKEN}}' };
  await addTool(id, { name: 'safe', headersTemplate });
  const draftId = await open(id);
  for (const owner of [id, draftId])
    for (const tool of (await stateOf(owner)).tools.filter(({ name }: { name: string }) => name === 'safe'))
      await removeTool(owner, tool.id);
  await admin.ask('mutation ($id: ID!) { deleteSecret(id: $id) { deleted } }', { id: secret.createSecret.id });
  const [version] = (await versionsOf(id)).nodes;
  await admin.ask('mutation ($id: ID!) { restoreAgentVersion(id: $id) { id } }', { id: version.id });
  expect(await admin.refusal(PUBLISH, { id: draftId, note: '', overwrite: true })).toBe(
    'UNPROCESSABLE: Create these secrets first, or change the tools that use them: TOKEN',
  );
});

test('deleting an agent deletes its draft and its versions, and discarding a draft leaves the agent', async () => {
  const { id } = await createAgent();
  const discarded = await open(id);
  await admin.ask('mutation ($id: ID!) { discardAgentDraft(id: $id) { id deleted } }', { id: discarded });
  expect(await admin.refusal('mutation ($id: ID!) { discardAgentDraft(id: $id) { id } }', { id })).toBe(
    'NOT_FOUND: Draft not found',
  );
  const draftId = await open(id);
  await admin.ask('mutation ($id: ID!) { deleteAgent(id: $id) { id } }', { id });
  const { rows } = await pool.query(
    'select (select count(*)::int from agent.agents where id = any($1)) as agents, (select count(*)::int from agent.agent_versions where agent_id = $2) as versions',
    [[id, draftId, discarded], id],
  );
  expect(rows).toEqual([{ agents: 0, versions: 0 }]);
});

test.each([
  ['mutation ($id: ID!) { made: openAgentDraft(agentId: $id) { id } }', 'agent', 'NOT_FOUND: Agent not found'],
  ['mutation ($id: ID!) { made: publishAgentDraft(id: $id) { id } }', 'draft', 'NOT_FOUND: Draft not found'],
  ['mutation ($id: ID!) { made: discardAgentDraft(id: $id) { id } }', 'draft', 'NOT_FOUND: Draft not found'],
  ['mutation ($id: ID!) { made: restoreAgentVersion(id: $id) { id } }', 'version', 'NOT_FOUND: Version not found'],
  ['query ($id: ID!) { made: agentVersion(id: $id) { id } }', 'version', 'NOT_FOUND: Version not found'],
  [
    'query ($id: ID!) { made: agentVersions(agentId: $id, page: 1, limit: 5) { nodes { id } } }',
    'agent',
    'NOT_FOUND: Agent not found',
  ],
] as const)('another organization gets nothing by %s', async (operation, kind, refusal) => {
  const { id } = await createAgent();
  const draft = await open(id);
  const [version] = (await versionsOf(id)).nodes;
  const target = { agent: id, draft, version: version.id }[kind];
  expect(await stranger.refusal(operation, { id: target })).toBe(refusal);
  const member = graph.caller((await acme.addMember('member')).key);
  expect(await member.refusal(operation, { id: target })).toMatch(/^FORBIDDEN: /);
});

test('a renamed MCP server keeps the ids of its tools when it is published', async () => {
  const { id } = await createAgent();
  const [server] = (await pool.query('select id from agent.mcp_servers where agent_id = $1', [id])).rows;
  await pool.query(`update agent.tools set mcp_server_id = $2, remote_name = 'stock' where agent_id = $1`, [id, server.id]);
  const [tool] = (await stateOf(id)).tools;
  const draftId = await open(id);
  const [copy] = (await stateOf(draftId)).mcpServers;
  expect(copy.name).toBe('Shop');
  await pool.query(`update agent.mcp_servers set name = 'Store' where agent_id = $1`, [draftId]);
  await publish(draftId);
  expect(await stateOf(id)).toMatchObject({ tools: [{ id: tool.id }], mcpServers: [{ name: 'Store' }] });
  const { rows } = await pool.query(
    'select s.name from agent.tools t join agent.mcp_servers s on s.id = t.mcp_server_id where t.id = $1',
    [tool.id],
  );
  expect(rows).toEqual([{ name: 'Store' }]);
});

test('sources and signing secrets belong to the agent, not to its draft', async () => {
  const { id } = await createAgent();
  const draftId = await open(id);
  const refused = 'UNPROCESSABLE: A draft uses the sources and signing secrets of its agent.';
  const input = { type: 'text', name: 'Hours', text: 'We open at nine.' };
  expect(
    await admin.refusal('mutation ($id: ID!, $input: NewSource!) { createSource(agentId: $id, input: $input) { id } }', {
      id: draftId,
      input,
    }),
  ).toBe(refused);
  expect(
    await admin.refusal('mutation ($id: ID!) { rotateSigningSecret(agentId: $id, purpose: identity, force: false) { secret } }', {
      id: draftId,
    }),
  ).toBe(refused);
  const { customForms } = await admin.ask('query ($id: ID) { customForms(agentId: $id) { name agentId } }', { id: draftId });
  expect(customForms).toEqual([{ name: 'order', agentId: draftId }]);
});

test('changes of tools, publications and deletions at once neither deadlock nor lose an agent that should stay', async () => {
  const refusals = new Set<string | undefined>();
  for (let round = 0; round < 6; round += 1) {
    const { id } = await createAgent();
    const draftId = await open(id);
    const [[live], [copy]] = [(await stateOf(id)).tools, (await stateOf(draftId)).tools];
    const UPDATE = 'mutation ($of: ID!, $id: ID!) { updateTool(agentId: $of, id: $id, input: { description: "Changed" }) { id } }';
    const REMOVE = 'mutation ($of: ID!, $id: ID!) { deleteTool(agentId: $of, id: $id) { deleted } }';
    const done = await Promise.all([
      admin.refusal(UPDATE, { of: draftId, id: copy.id }),
      admin.refusal(UPDATE, { of: id, id: live.id }),
      admin.refusal(PUBLISH, { id: draftId, note: '', overwrite: true }),
      admin.refusal(REMOVE, { of: id, id: live.id }),
      ...(round % 2 ? [admin.refusal('mutation ($id: ID!) { deleteAgent(id: $id) { id } }', { id })] : []),
    ]);
    for (const each of done) refusals.add(each);
    if (round % 2 === 0) expect((await stateOf(id)).agent.draftId).toBeNull();
    else
      expect(
        (await pool.query('select from agent.agents where id = any($1) and deleted_at is null', [[id, draftId]])).rowCount,
      ).toBe(0);
  }
  expect([...refusals].filter((each) => each && !each.startsWith('NOT_FOUND: '))).toEqual([]);
});
