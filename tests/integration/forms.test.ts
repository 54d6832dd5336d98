import { database } from '../support/seed.ts';
import { openIntegration } from './integration.ts';

const CREATE = `mutation ($agentId: ID!, $input: NewCustomForm!) {
  createCustomForm(agentId: $agentId, input: $input) { id name title enabled fields { name label type required options } }
}`;
const UPDATE = 'mutation ($id: ID!, $input: CustomFormChange!) { updateCustomForm(id: $id, input: $input) { title enabled } }';
const DELETE = 'mutation ($id: ID!) { deleteCustomForm(id: $id) { id deleted } }';
const ALL = 'query ($agentId: ID!) { agentForms(agentId: $agentId) { name enabled } }';

const order = { name: 'order', label: 'Order number' };
const form = { name: 'returns', title: 'Return an item', fields: [order] };

async function open() {
  const integration = await openIntegration();
  const create = async (input: object = {}, agentId = integration.agent.id) =>
    (await integration.graphql(CREATE, { agentId, input: { ...form, ...input } })).createCustomForm;
  const refuse = (input: object) => integration.refusal(CREATE, { agentId: integration.agent.id, input: { ...form, ...input } });
  return { ...integration, create, refuse };
}

test('a form has fields with defaults', async () => {
  const { create } = await open();
  expect(await create()).toEqual({
    id: expect.any(String),
    name: 'returns',
    title: 'Return an item',
    enabled: true,
    fields: [{ name: 'order', label: 'Order number', type: 'text', required: false, options: [] }],
  });
});

test('GET /forms lists enabled forms, and forms with one name once, as the oldest', async () => {
  const { agent, createAgent, create, get } = await open();
  const { id: second } = await createAgent('Sales desk');
  await create();
  await create({ name: 'hidden', enabled: false });
  await create({ title: 'Returns of sales' }, second);
  await create({ name: 'about', title: 'About you' }, second);
  const about = { name: 'about', title: 'About you', agentId: second, agentName: 'Sales desk' };
  const returns = { name: 'returns', title: 'Return an item', agentId: agent.id, agentName: 'Support desk' };
  expect(await get('/forms')).toMatchObject({ status: 200, body: { forms: [about, returns] } });
  expect((await get(`/forms?agentId=${second}`)).body.forms).toEqual([
    about,
    { ...returns, title: 'Returns of sales', agentId: second, agentName: 'Sales desk' },
  ]);
});

test('GET /forms lists the other forms of an organization whose 1,000 agents have the same one', async () => {
  const { organization, create, get } = await open();
  await database().query(
    `with made as (
       insert into agent.agents
       select (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid(), 'slug', 's' || n, 'public_slug', gen_random_uuid()))).*
         from agent.agents a cross join generate_series(1, 1000) n where a.organization_id = $1 returning id)
     insert into agent.forms (id, organization_id, agent_id, name, title, fields, enabled)
     select gen_random_uuid(), $1, id, 'about', 'About you', '[]', true from made`,
    [organization.id],
  );
  await create();
  const names = (await get('/forms')).body.forms.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['about', 'returns']);
});

test('a name is unique within its agent, also at once', async () => {
  const { createAgent, create, refuse } = await open();
  const { id: second } = await createAgent('Sales desk');
  const codes = (await Promise.all([refuse({}), refuse({}), refuse({})])).map(({ code }) => code);
  expect(codes.sort()).toEqual(['CONFLICT', 'CONFLICT', undefined]);
  expect((await create({}, second)).name).toBe('returns');
});

test.each([
  [{ fields: [] }, 'fields must have at least 1 entry'],
  [{ fields: [order, order] }, 'fields must have different names; order appears twice'],
  [{ fields: [{ ...order, type: 'select' }] }, 'fields: order is a select field and needs options'],
  [{ fields: [{ ...order, type: 'magic' }] }, expect.stringContaining('must be one of')],
  [{ fields: [{ ...order, name: '__proto__' }] }, expect.stringContaining('name')],
  [{ name: 'Not a key' }, expect.stringContaining('name')],
])('the form %p is rejected', async (input, message) => {
  const { refuse } = await open();
  expect(await refuse(input)).toEqual({ code: 'INVALID_INPUT', message: expect.anything() });
  expect((await refuse(input)).message).toEqual(
    typeof message === 'string' ? expect.stringContaining(message.slice(0, 20)) : message,
  );
});

test('a form can be changed and deleted by admins of its organization only', async () => {
  const [own, other] = await Promise.all([open(), open()]);
  const { id } = await own.create();
  expect(await other.refusal(UPDATE, { id, input: { title: 'Theirs' } })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await other.refusal(DELETE, { id })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await other.refusal(ALL, { agentId: own.agent.id })).toMatchObject({ code: 'NOT_FOUND' });
  expect((await own.graphql(UPDATE, { id, input: { enabled: false } })).updateCustomForm).toEqual({
    title: 'Return an item',
    enabled: false,
  });
  expect((await own.get('/forms')).body.forms).toEqual([]);
  expect((await own.graphql(ALL, { agentId: own.agent.id })).agentForms).toEqual([{ name: 'returns', enabled: false }]);
  expect((await own.graphql(DELETE, { id })).deleteCustomForm).toEqual({ id, deleted: true });
  expect(await own.refusal(DELETE, { id })).toMatchObject({ code: 'NOT_FOUND' });
});
