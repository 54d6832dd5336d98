import { buildSchema } from 'graphql';
import { requirementOf } from '../../rest-adapter/route.ts';
import { teachScalars } from '../../schema/scalars.ts';
import { allRoutes, named, urlOf } from '../rest/all-routes.ts';
import { textOf } from '../structure/files.ts';
import { caller } from '../support/client.ts';
import { database, seedOperator, seedOrganization } from '../support/seed.ts';
import { argumentsFor, openOperations, operationOf } from './sweep.ts';

const change =
  'mutation ($organization: String!, $credits: Float, $reason: String, $reference: String, $plan: Plan, $modules: [Module!]) { updateOrganizationAccount(organization: $organization, credits: $credits, reason: $reason, reference: $reference, plan: $plan, modules: $modules) { id slug plan modules credits } }';
const find = 'query ($search: String) { organizationAccounts(search: $search) { nodes { id slug credits } pagination { total } } }';
const own = [
  'fieldUsage',
  'operationUsage',
  'organizationAccounts',
  'publishedSchemas',
  'schemaDiff',
  'schemaVersions',
  'updateOrganizationAccount',
];

let operator: Awaited<ReturnType<typeof seedOperator>>;
beforeAll(async () => {
  operator = await seedOperator();
});

test('an operator changes credits, plan and modules of an organization named by id or slug', async () => {
  const { id, slug, key } = await seedOrganization({ credits: 0, plan: 'free' });
  const { graphql } = caller(operator.key);
  const first = await graphql(change, { organization: slug, plan: 'growth', modules: ['helpdesk', 'helpdesk'] });
  expect(first.updateOrganizationAccount).toEqual({ id, slug, plan: 'growth', modules: ['helpdesk'], credits: 0 });
  const second = await graphql(change, { organization: id, credits: 12.5, reason: 'Paid', plan: null, modules: null });
  expect(second.updateOrganizationAccount).toEqual({ id, slug, plan: 'growth', modules: ['helpdesk'], credits: 12.5 });

  const { organization } = await caller(key).graphql('{ organization { plan credits creditEntries { nodes { amount reason } } } }');
  expect(organization).toEqual({ plan: 'growth', credits: 12.5, creditEntries: { nodes: [{ amount: 12.5, reason: 'Paid' }] } });
});

test('each change is recorded with the operator and the account before and after', async () => {
  const { id, slug } = await seedOrganization({ credits: 0, plan: 'free' });
  const { graphql } = caller(operator.key);
  await graphql(change, { organization: slug, credits: 5, reference: 'invoice-1', plan: 'growth' });
  await graphql(change, { organization: slug, credits: 5, reference: 'invoice-1' });
  const { rows } = await database().query(
    `select c.operator, k.user_id, before, after from identity.account_changes c join identity.api_keys k on k.id = c.key_id
      where c.organization_id = $1`,
    [id],
  );
  const account = { id, slug, modules: [] };
  expect(rows).toEqual([
    {
      operator: operator.email,
      user_id: operator.id,
      before: { ...account, plan: 'free', credits: 0 },
      after: { ...account, plan: 'growth', credits: 5 },
    },
  ]);
});

test('a change of plan applies immediately', async () => {
  const { key, slug } = await seedOrganization({ plan: 'free' });
  const { get } = caller(key);
  const { graphql } = caller(operator.key);
  expect(await get('/api/v1/agents')).toMatchObject({ status: 402, body: { error: { status: 402 } } });
  await graphql(change, { organization: slug, plan: 'growth' });
  expect((await get('/api/v1/agents')).status).toBe(200);
  await graphql(change, { organization: slug, plan: 'free' });
  expect((await get('/api/v1/agents')).status).toBe(402);
});

test('the ledger adds up to the balance after concurrent additions, and one reference counts once', async () => {
  const { key, id } = await seedOrganization({ credits: 0 });
  const { graphql } = caller(operator.key);
  await Promise.all([
    ...Array.from({ length: 20 }, (_, at) => graphql(change, { organization: id, credits: at + 0.25 })),
    ...Array.from({ length: 10 }, () => graphql(change, { organization: id, credits: 1000, reference: 'invoice-1' })),
  ]);
  const { organization } = await caller(key).graphql(
    '{ organization { credits creditEntries(limit: 100) { nodes { amount } pagination { total } } } }',
  );
  const ledger = organization.creditEntries.nodes.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
  expect(organization).toMatchObject({ credits: 1195, creditEntries: { pagination: { total: 21 } } });
  expect(ledger).toBe(1195);
});

test('the ledger adds up to the balance after amounts with more decimals than both have', async () => {
  const { id } = await seedOrganization({ credits: 0 });
  const { graphql } = caller(operator.key);
  for (const credits of [1, -0.00015, 0.00025]) await graphql(change, { organization: id, credits });
  const { rows } = await database().query(
    `select credits = (select sum(amount) from identity.credit_entries where organization_id = $1) as adds_up
       from identity.organizations where id = $1`,
    [id],
  );
  expect(rows).toEqual([{ adds_up: true }]);
});

test('an operator takes credits back, up to the balance', async () => {
  const { id } = await seedOrganization({ credits: 10 });
  const { graphql, refusal } = caller(operator.key);
  const taken = await graphql(change, { organization: id, credits: -4 });
  expect(taken.updateOrganizationAccount.credits).toBe(6);
  const refused = await refusal(change, { organization: id, credits: -7, plan: 'enterprise' });
  expect(refused).toEqual({ code: 'UNPROCESSABLE', message: 'The balance is only 6 credits.' });
  const { rows } = await database().query('select plan, credits::float from identity.organizations where id = $1', [id]);
  expect(rows).toEqual([{ plan: 'growth', credits: 6 }]);
});

test.each([0, 0.00001, 1e10, -1e10])('an account is not changed by %p credits', async (credits) => {
  const { id } = await seedOrganization();
  expect(await caller(operator.key).refusal(change, { organization: id, credits })).toMatchObject({ code: 'INVALID_INPUT' });
});

test('accounts are found by id or by part of the slug', async () => {
  const { id, slug } = await seedOrganization({ credits: 3 });
  const { graphql, refusal } = caller(operator.key);
  for (const search of [slug, slug.slice(4), id]) {
    const { organizationAccounts } = await graphql(find, { search });
    expect(organizationAccounts).toEqual({ nodes: [{ id, slug, credits: 3 }], pagination: { total: 1 } });
  }
  expect((await graphql(find)).organizationAccounts.pagination.total).toBeGreaterThan(1);
  expect((await graphql(find, { search: '%' })).organizationAccounts.nodes).toEqual([]);
  expect(await refusal(change, { organization: 'nowhere', plan: 'growth' })).toMatchObject({ code: 'NOT_FOUND' });
});

test("no member's key reads or changes accounts", async () => {
  const organization = await seedOrganization();
  const { key: admin } = await organization.addMember('admin');
  for (const key of [organization.key, admin]) {
    const { refusal } = caller(key);
    const refused = { code: 'FORBIDDEN', message: "This needs an operator's key." };
    expect(await refusal(find)).toEqual(refused);
    expect(await refusal(change, { organization: organization.id, credits: 1e9 })).toEqual(refused);
  }
});

const schema = buildSchema(textOf('schema/api.graphql'));
teachScalars(schema);
const others = (['query', 'mutation'] as const).flatMap((kind) => {
  const type = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const fields = Object.values(type!.getFields()).filter(({ name }) => ![...own, ...openOperations].includes(name));
  return fields.map((field) => ({ kind, field, name: field.name }));
});

test.each(others)("an operator's key is rejected $name, also by an operator who is an owner", async ({ kind, field }) => {
  const organization = await seedOrganization();
  await organization.join(operator.id, 'owner');
  const variables = argumentsFor(field, '', '', organization.id);
  const { refusal } = caller(operator.key, { organization: organization.slug });
  expect(await refusal(operationOf(kind, field, variables), variables)).toEqual({
    code: 'FORBIDDEN',
    message: "This needs a user's key.",
  });
});

test.each(named(allRoutes.filter((route) => requirementOf(route).access !== 'public')))(
  "an operator's key is refused $name",
  async ({ route }) => {
    const { method, path, row } = route;
    const { slug } = await seedOrganization();
    const filled = path.replace('{organization}', slug).replace(/\{\w+\}/g, crypto.randomUUID());
    const body = method === 'GET' ? undefined : (row.example.body ?? {});
    const { status } = await caller(undefined, { url: urlOf(route) }).send(method, filled, body, {
      authorization: `Bearer ${operator.key}`,
    });
    expect(status).toBe(403);
  },
);
