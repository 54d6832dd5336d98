import { randomUUID } from 'node:crypto';
import { caller } from '../../support/client.ts';
import { database } from '../../support/seed.ts';
import { openAgent } from './support.ts';

const agent = await openAgent();
const { owner, path, organization } = agent;
const text = { type: 'text', name: 'x' };
const qa = { type: 'qa', name: 'x' };
const url = { type: 'url', name: 'x' };
const TEXT = {
  type: 'text',
  name: 'Shop',
  text: '# Opening hours\n\nWe open at nine.\n\n# Returns\n\nReturn goods within 30 days.',
};

describe('the documented rows', () => {
  test('a source is created, listed and deleted, exactly as documented', async () => {
    const created = await owner.post(path, { type: 'text', name: 'Hours', text: 'We open at nine.' });
    expect(created.status).toBe(201);
    const { id } = created.body.data.source;
    const record = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'text',
      name: 'Hours',
      url: null,
      status: 'queued',
      error: null,
      pageCount: 0,
      chunkCount: 0,
      lastIndexedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    expect(created.body).toEqual({ success: true, data: { source: record } });
    await agent.follow(id);
    const listed = await owner.get(path);
    expect(listed.body).toEqual({
      success: true,
      data: { sources: [{ ...record, id, status: 'ready', chunkCount: 1, lastIndexedAt: expect.any(String) }] },
    });
    const deleted = await owner.send('DELETE', `${path}/${id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { success: true, data: { id, deleted: true } }]);
    expect((await owner.get(path)).body.data.sources).toEqual([]);
    expect((await owner.send('DELETE', `${path}/${id}`)).body).toEqual({ success: false, message: 'Source not found' });
  });

  test.each<[string, object, RegExp]>([
    ['no type', { name: 'x' }, /type/],
    ['an unknown type', { type: 'pdf', name: 'x' }, /type must be one of url, text, qa/],
    ['an empty name', { ...text, name: '', text: 'x' }, /name must not be empty/],
    ['a blank name', { ...text, name: ' ', text: 'x' }, /name must not be blank/],
    ['a long name', { ...text, name: 'x'.repeat(256), text: 'x' }, /name must be at most 255 characters/],
    ['no text', text, /text is required for the type text/],
    ['a blank text', { ...text, text: ' \n ' }, /text must not be blank/],
    ['the content of another type', { ...text, text: 'x', url: 'https://example.com' }, /url must not be set for the type text/],
    ['a long text', { ...text, text: 'x'.repeat(1_000_001) }, /text must be at most 1000000 characters/],
    ['a NUL', { ...text, text: 'a\0b' }, /text must not contain/],
    ['a lone surrogate', { ...text, name: '\ud800', text: 'x' }, /name must/],
    ['a number as text', { ...text, text: 5 }, /text/],
    ['no questions', qa, /qa is required for the type qa/],
    ['an empty list of questions', { ...qa, qa: [] }, /qa must have at least 1 entry/],
    ['a question without an answer', { ...qa, qa: [{ question: 'q' }] }, /answer/],
    ['a blank question', { ...qa, qa: [{ question: ' ', answer: 'a' }] }, /qa\[0\]\.question must not be blank/],
    ['no URL', url, /url is required for the type url/],
    ['another scheme', { ...url, url: 'ftp://example.com' }, /url is refused: The address must start with http/],
    ['a private address', { ...url, url: 'http://127.0.0.1/' }, /url is refused: The address is not on the public internet/],
    ['credentials in the URL', { ...url, url: 'http://user:word@example.com/' }, /url is refused/],
    ['a URL that is long when encoded', { ...url, url: `https://example.com/${'ü'.repeat(1_000)}` }, /url must be at most 2048/],
    ['a refresh of a text', { ...text, text: 'x', refreshInterval: 'daily' }, /refreshInterval is only for the type url/],
  ])('%s is rejected', async (_, body, message) => {
    const { status, body: answer } = await owner.post(path, JSON.stringify(body));
    expect([status, answer.success, answer.message]).toEqual([400, false, expect.stringMatching(message)]);
  });

  test('a repeated Idempotency-Key creates one source', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const [first, second] = [await owner.post(path, TEXT, key), await owner.post(path, TEXT, key)];
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    await owner.send('DELETE', `${path}/${first.body.data.source.id}`);
  });
});

test('a long question is a heading that ends before a character that does not fit', async () => {
  const { last } = await agent.index({ type: 'qa', name: 'Emoji', qa: [{ question: `${'x'.repeat(199)}😀?`, answer: 'Yes.' }] });
  expect(last).toMatchObject({ status: 'ready', chunkCount: 1 });
});

describe('access', () => {
  test('sources of other organizations and agents are not found, and members have no access', async () => {
    const stranger = await openAgent();
    const second = await owner.post(`/api/${organization.slug}/agents`, { name: 'Second' });
    const elsewhere = path.replace(agent.agentId, second.body.data.agent.id);
    const id = await agent.addSource(TEXT);
    for (const place of [stranger.path, elsewhere]) {
      const by = place === elsewhere ? owner : stranger.owner;
      expect((await by.send('DELETE', `${place}/${id}`)).status).toBe(404);
    }
    expect((await stranger.owner.get(path.replace(organization.slug, stranger.organization.slug))).body).toEqual({
      success: false,
      message: 'Agent not found',
    });
    expect((await owner.get(path.replace(agent.agentId, 'no-id'))).status).toBe(404);
    for (const [text, variables] of [
      ['query ($id: ID!) { source(id: $id) { id } }', { id }],
      ['mutation ($id: ID!) { refreshSource(id: $id) { id } }', { id }],
      ['mutation ($id: ID!) { updateSource(id: $id, input: { name: "x" }) { id } }', { id }],
      ['query ($id: ID!) { sourcePages(sourceId: $id) { nodes { url } } }', { id }],
      ['query ($id: ID!) { testRetrieval(agentId: $id, question: "x") { tokens } }', { id: agent.agentId }],
    ] as const)
      expect((await stranger.owner.refusal(text, variables)).code).toBe('NOT_FOUND');
    const member = caller((await organization.addMember('member')).key);
    expect((await member.get(path)).status).toBe(403);
    expect((await member.post(path, TEXT)).status).toBe(403);
    expect((await member.send('DELETE', `${path}/${id}`)).status).toBe(403);
    await owner.send('DELETE', `${path}/${id}`);
  });

  test('a subscriber of another organization gets no update', async () => {
    const stranger = await openAgent();
    const id = await agent.addSource(TEXT);
    await expect(stranger.follow(id)).rejects.toThrow('Source not found');
    await owner.send('DELETE', `${path}/${id}`);
  });
});

describe('ingestion', () => {
  test('the progress is numbered and passes through the documented states', async () => {
    const { id, updates, last } = await agent.index(TEXT);
    expect([...new Set(updates.map(({ status }) => status))]).toEqual(['queued', 'chunking', 'embedding', 'ready']);
    const sequences = updates.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    expect(last).toMatchObject({ stagedCount: 2, embeddedCount: 2, chunkCount: 2, error: null });
    const rest = await agent.follow(id, sequences[1]);
    expect(rest.every(({ sequence }) => sequence > sequences[1]!)).toBe(true);
    expect(rest.at(-1)).toEqual(last);
    await owner.send('DELETE', `${path}/${id}`);
  });

  test('a rename changes the name alone, and null is refused', async () => {
    const { id } = await agent.index(TEXT);
    const change =
      'mutation ($id: ID!, $input: SourceChange!) { updateSource(id: $id, input: $input) { name status text qa { answer } } }';
    const { updateSource } = await owner.graphql(change, { id, input: { name: 'Renamed' } });
    expect(updateSource).toEqual({ name: 'Renamed', status: 'ready', text: TEXT.text, qa: null });
    expect((await owner.refusal(change, { id, input: { name: null } })).message).toBe('name must not be null');
    expect((await owner.refusal(change, { id, input: { refreshInterval: 'daily' } })).code).toBe('INVALID_INPUT');
    await owner.send('DELETE', `${path}/${id}`);
  });

  test('a refresh embeds nothing that has not changed, and passages keep their ids', async () => {
    const { id, last } = await agent.index(TEXT);
    const before = await agent.ask('When can I return goods?');
    await owner.graphql('mutation ($id: ID!) { refreshSource(id: $id) { status } }', { id });
    const updates = await agent.follow(id, last.sequence);
    // Both passages have their vectors before the first request to the provider.
    expect(updates.map(({ status, embeddedCount }) => [status, embeddedCount])).toEqual([
      ['queued', 2],
      ['chunking', 0],
      ['embedding', 2],
      ['ready', 2],
    ]);
    const after = await agent.ask('When can I return goods?');
    expect(after.passages.map(({ id }: { id: string }) => id)).toEqual(before.passages.map(({ id }: { id: string }) => id));
    await owner.send('DELETE', `${path}/${id}`);
  });

  test('deleting an agent deletes its sources with their content', async () => {
    const own = await openAgent();
    const { id } = await own.index(TEXT);
    await own.owner.graphql('mutation ($id: ID!) { deleteAgent(id: $id) { deleted } }', { id: own.agentId });
    const tables = ['sources', 'chunks', 'source_changes'];
    for (const table of tables) {
      const column = table === 'sources' ? 'id' : 'source_id';
      const { rowCount } = await database().query(`select from agent.${table} where ${column} = $1`, [id]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
  });
});

test('an agent has at most 200 sources, and the limit applies before the host of a URL is resolved', async () => {
  const full = await openAgent();
  await database().query(
    `insert into agent.sources (id, organization_id, agent_id, type, name, text, status, refresh_interval)
     select gen_random_uuid(), $1, $2, 'text', n::text, 'x', 'ready', 'never' from generate_series(1, 200) n`,
    [full.organization.id, full.agentId],
  );
  for (const source of [
    { ...text, text: 'x' },
    { ...url, url: 'http://localhost/' },
  ])
    expect(await full.owner.post(full.path, source)).toMatchObject({
      status: 422,
      body: { message: 'An agent has at most 200 sources.' },
    });
});
