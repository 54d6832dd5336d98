import { randomUUID } from 'node:crypto';
import { type Route, requirementOf } from '../../rest-adapter/route.ts';
import { caller } from '../support/client.ts';
import { database, seedOrganization, seedStranger } from '../support/seed.ts';
import { allRoutes, named, urlOf } from './all-routes.ts';

/** A body that breaks off, and one that is not an object. */
const malformed = ['{"name": "broken', '"text"'];
const readsBody = ({ method }: Route) => method !== 'GET' && method !== 'DELETE';

type Organization = Awaited<ReturnType<typeof seedOrganization>>;
let full: Organization;
let free: Organization;
let broke: Organization;
let stranger: string;
let member: string;
let ofWorkspace: string;

beforeAll(async () => {
  full = await seedOrganization({ modules: ['helpdesk'] });
  free = await seedOrganization({ plan: 'free', credits: 0 });
  broke = await seedOrganization({ credits: 0 });
  stranger = (await seedStranger()).key;
  member = (await full.addMember('member')).key;
  ofWorkspace = await full.addKey(full.owner.id);
  const workspace = randomUUID();
  await database().query(
    `insert into site_content.workspaces (id, organization_id, name, slug) values ($1, $2, 'Gated', 'gated')`,
    [workspace, full.id],
  );
  await database().query(`update identity.api_keys set workspace_id = $2 where hash = sha256($1::bytea)`, [ofWorkspace, workspace]);
});

/** Send a body as it is, in the name of an organization. */
async function send({ method, path, surface }: Route, key: string | undefined, { slug }: Organization, body: string) {
  const filled = path.replace('{organization}', slug).replace(/\{\w+\}/g, randomUUID());
  const query = surface.organization === 'query' ? `?organization=${slug}` : '';
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  return (await fetch(urlOf({ surface } as Route) + filled + query, { method, headers, body })).status;
}

describe.each(named(allRoutes.filter((route) => requirementOf(route).access === 'organization' && readsBody(route))))(
  'a malformed body of $name',
  ({ route }) => {
    const { level, workspaces, plan, gates = [] } = requirementOf(route);
    const refusals: [who: string, status: number, key: () => string | undefined, organization: () => Organization][] = [
      ['without a key', 401, () => undefined, () => full],
      ['of a user who is no member', 403, () => stranger, () => full],
      ...(level === 'admin' ? [['of a member', 403, () => member, () => full] as never] : []),
      ...(workspaces ? [] : [['with the key of a workspace', 403, () => ofWorkspace, () => full] as never]),
      ...(plan ? [['in the plan free', 402, () => free.key, () => free] as never] : []),
      ...(gates.includes('tickets') ? [['without the module', 402, () => broke.key, () => broke] as never] : []),
      ...(gates.includes('credits') ? [['without credits', 402, () => broke.key, () => broke] as never] : []),
    ];
    test.each(refusals)('%s is answered with %i', async (_, status, key, organization) => {
      for (const body of malformed) expect(await send(route, key(), organization(), body)).toBe(status);
    });

    test('is answered with 400 for a caller who passes', async () => {
      expect(await send(route, full.key, full, malformed[0]!)).toBe(400);
    });
  },
);

test('a ticket without its agent is refused for the missing module, as long as the module is missing', async () => {
  const send = ({ key, slug }: Organization) => caller(key).send('POST', `/api/v1/tickets?organization=${slug}`, { subject: 7 });
  expect(await send(broke)).toMatchObject({
    status: 402,
    body: { error: { status: 402, message: 'Tickets require the Helpdesk module.' } },
  });
  expect((await send(full)).status).toBe(400);
});

test('a repeated request gets its stored response although the credits are spent', async () => {
  const { id, slug, key } = await seedOrganization();
  const { send } = caller(key);
  const body = { rows: [{ name: 'Acme' }], inputColumns: ['name'], fileName: 'brands.csv' };
  const create = (value: string) =>
    send('POST', `/api/${slug}/brand-enrichment-jobs/create`, body, { 'idempotency-key': value, 'x-api-key': key });
  const first = await create('one');
  expect(first.status).toBe(200);
  await database().query('update identity.organizations set credits = 0 where id = $1', [id]);
  expect(await create('one')).toMatchObject({ status: 200, body: first.body });
  expect((await create('two')).status).toBe(402);
});
