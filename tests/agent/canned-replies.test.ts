import { database } from '../support/seed.ts';
import { openAgents } from './operations.ts';

const graph = await openAgents();
afterAll(() => graph.close());

const ADD = 'mutation ($name: String!, $text: String!) { createCannedReply(name: $name, text: $text) { id name text } }';
const CHANGE =
  'mutation ($id: ID!, $name: String!, $text: String!) { updateCannedReply(id: $id, name: $name, text: $text) { id name text } }';
const REMOVE = 'mutation ($id: ID!) { deleteCannedReply(id: $id) { id deleted } }';

async function open() {
  const organization = await graph.seed();
  const owner = graph.caller(organization.key);
  const add = async (name: string, text = 'Hello {{name|there}}') => (await owner.ask(ADD, { name, text })).createCannedReply;
  const names = async () => (await owner.ask('{ cannedReplies { name } }')).cannedReplies.map(({ name }: { name: string }) => name);
  return { organization, owner, add, names };
}

test('a canned reply is created, changed and deleted, and keeps its text as it was written', async () => {
  const { owner, add, names } = await open();
  const text = '  <b>Hello</b> {{name|there}},\n\nthank you & goodbye <script>alert(1)</script>';
  const { id, ...made } = await add('Größe_2', text);
  expect(made).toEqual({ name: 'größe_2', text });
  await add('hours');
  expect(await names()).toEqual(['größe_2', 'hours']);
  // Its own name is not taken.
  expect((await owner.ask(CHANGE, { id, name: 'GRÖSSE_2', text: 'Bye' })).updateCannedReply).toMatchObject({ name: 'grösse_2' });
  expect((await owner.ask(CHANGE, { id: id.toUpperCase(), name: 'grösse_2', text: 'Bye.' })).updateCannedReply).toEqual({
    id,
    name: 'grösse_2',
    text: 'Bye.',
  });
  expect((await owner.ask(REMOVE, { id })).deleteCannedReply).toEqual({ id, deleted: true });
  expect(await owner.refusal(REMOVE, { id })).toBe('NOT_FOUND: Canned reply not found');
  expect(await owner.refusal(CHANGE, { id, name: 'new', text: 'x' })).toBe('NOT_FOUND: Canned reply not found');
  expect(await names()).toEqual(['hours']);
});

test('a name is unique in any case and any composition, also for simultaneous changes', async () => {
  const { owner, add, names } = await open();
  const other = await open();
  const { id } = await add('hours');
  await other.add('hours');
  expect(await owner.refusal(ADD, { name: 'HOURS', text: 'x' })).toBe(
    'CONFLICT: A canned reply with the name hours already exists.',
  );
  await add('u\u0308ber');
  expect(await owner.refusal(ADD, { name: '\u00fcber', text: 'x' })).toMatch(/^CONFLICT/);

  const rivals = await Promise.allSettled([add('rival'), add('Rival'), owner.ask(CHANGE, { id, name: 'rival', text: 'x' })]);
  expect(rivals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await names()).filter((name: string) => name === 'rival')).toHaveLength(1);
});

test('names and texts that nobody could insert are refused', async () => {
  const { owner, names } = await open();
  for (const [name, text] of [
    ['two words', 'x'],
    ['', 'x'],
    ['-', 'x'],
    ['a/b', 'x'],
    ['<b>', 'x'],
    ['a\0', 'x'],
    ['a'.repeat(41), 'x'],
    ['a', ''],
    ['a', ' \n '],
    ['a', 'x'.repeat(10_000)],
  ])
    expect([name, text!.slice(0, 9), await owner.refusal(ADD, { name, text })]).toEqual([
      name,
      text!.slice(0, 9),
      expect.stringMatching(/^INVALID_INPUT/),
    ]);
  expect(await names()).toEqual([]);
});

test('an organization has at most 200 canned replies, also after simultaneous creates, and they count as storage', async () => {
  const { organization, owner, add, names } = await open();
  await database(graph.url).query(
    `insert into agent.canned_replies (id, organization_id, name, text)
     select gen_random_uuid(), $1, 'n' || n, repeat('ä', 1000) from generate_series(1, 199) n`,
    [organization.id],
  );
  const made = await Promise.allSettled([add('one'), add('two'), add('three')]);
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await names()).toHaveLength(200);
  expect(await owner.refusal(ADD, { name: 'more', text: 'x' })).toBe(
    'UNPROCESSABLE: An organization has at most 200 canned replies.',
  );

  const bytes = async () => {
    const { rows } = await database(graph.url).query(
      `select coalesce(sum(bytes), 0)::int as bytes from identity.stored_bytes where organization_id = $1 and list = 'agent.canned_replies'`,
      [organization.id],
    );
    return rows[0].bytes as number;
  };
  const before = await bytes();
  expect(before).toBeGreaterThan(199 * 2_200);
  const { cannedReplies } = await owner.ask('{ cannedReplies { id name } }');
  const { id } = cannedReplies.find(({ name }: { name: string }) => name === 'n7');
  await owner.ask(CHANGE, { id, name: 'n7', text: 'ä'.repeat(4_000) });
  expect(await bytes()).toBe(before + 6_000);
  await database(graph.url).query('delete from agent.canned_replies where organization_id = $1', [organization.id]);
  expect(await bytes()).toBe(0);
});
