import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { openRest } from './rest-support.ts';

const { rest, owner, member, stranger, create, workspace, site } = await openRest();

describe('webhooks', () => {
  const body = {
    workspaceId: workspace.id,
    name: 'Hook',
    url: 'https://hooks.example.com/x',
    events: ['page.created', 'site.published'],
  };

  test('a webhook is created, read, changed and deleted', async () => {
    const created = await owner('POST', '/webhooks', body);
    const { id } = created.body.data;
    expect(created).toMatchObject({ status: 201, body: { ok: true } });
    expect(created.body.data).toEqual({
      id,
      ...body,
      enabled: true,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      lastDeliveryAt: null,
    });
    expect((await member('GET', `/webhooks/${id}`)).body.data).toEqual(created.body.data);
    expect((await member('GET', '/webhooks')).body).toMatchObject({ data: [created.body.data], meta: { total: 1 } });
    expect((await member('POST', '/webhooks', body)).status).toBe(403);
    expect((await member('PATCH', `/webhooks/${id}`, { name: 'x' })).status).toBe(403);
    expect((await member('DELETE', `/webhooks/${id}`)).status).toBe(403);
    const changed = await owner('PATCH', `/webhooks/${id}`, { name: 'Other', events: ['page.deleted'], enabled: false });
    expect(changed.body.data).toMatchObject({ name: 'Other', url: body.url, events: ['page.deleted'], enabled: false });
    expect((await owner('POST', `/webhooks/${id}/test`)).status).toBe(422);
    for (const call of ['GET', 'PATCH', 'DELETE'])
      expect((await stranger(call, `/webhooks/${id}`, call === 'PATCH' ? {} : undefined)).status).toBe(404);
    expect((await owner('DELETE', `/webhooks/${id}`)).body).toEqual({ ok: true, data: { id, deleted: true } });
    expect((await owner('GET', `/webhooks/${id}`)).status).toBe(404);
  });

  test('the 101st webhook of an organization is refused', async () => {
    const full = await seedOrganization();
    const { createWorkspace } = await caller(full.key).graphql(
      'mutation { createWorkspace(input: { name: "F", slug: "f" }) { id } }',
    );
    const insert = `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id, name)
      select gen_random_uuid(), $1, 'site-content', 'https://hooks.example.com/', '{page.updated}', $2, n::text from generate_series(1, 99) n`;
    await database().query(insert, [full.id, createWorkspace.id]);
    const add = (more = {}) => rest(full.key)('POST', '/webhooks', { ...body, workspaceId: createWorkspace.id, ...more });
    expect((await add()).status).toBe(201);
    const message = 'Webhook limit reached. You can create up to 100 webhooks.';
    // The limit applies before the host is resolved.
    for (const more of [{}, { url: 'https://localhost/hook' }])
      expect(await add(more)).toMatchObject({ status: 429, body: { ok: false, error: { code: 'LIMIT_REACHED', message } } });
    const list = (await rest(full.key)('GET', '/webhooks?perPage=100')).body;
    expect([list.data.length, list.meta]).toEqual([100, { page: 1, perPage: 100, total: 100, totalPages: 1 }]);
  });

  test.each([
    [{ url: 'http://hooks.example.com/' }, 400],
    [{ url: 'https://user:secret@hooks.example.com/' }, 400],
    [{ url: 'https://127.0.0.1/' }, 400],
    [{ url: 'https://metadata.amazonaws.com/' }, 400],
    [{ events: [] }, 400],
    [{ events: ['page.read'] }, 400],
    [{ name: null }, 400],
    [{ workspaceId: '0199a000-0000-7000-8000-0000000000ff' }, 404],
  ])('%j is refused', async (wrong, status) => {
    expect(await owner('POST', '/webhooks', { ...body, ...wrong })).toMatchObject({ status, body: { ok: false } });
    if (status !== 400) return;
    const { data } = (await owner('POST', '/webhooks', body)).body;
    expect(await owner('PATCH', `/webhooks/${data.id}`, wrong)).toMatchObject({ status, body: { ok: false } });
    expect((await owner('GET', `/webhooks/${data.id}`)).body.data).toEqual(data);
  });

  test('the secret is for editors, and keeps the previous one for a day when it is replaced', async () => {
    const { id } = (await owner('POST', '/webhooks', body)).body.data;
    const first = (await owner('GET', `/webhooks/${id}/secret`)).body.data;
    expect(first).toEqual({ secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/), previousSecretExpiresAt: null });
    for (const method of ['GET', 'POST']) expect((await member(method, `/webhooks/${id}/secret`)).status).toBe(403);
    const second = (await owner('POST', `/webhooks/${id}/secret`)).body.data;
    expect(second.secret).not.toBe(first.secret);
    const hours = (Date.parse(second.previousSecretExpiresAt) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    expect((await owner('GET', `/webhooks/${id}/secret`)).body.data).toEqual(second);
    const refused = {
      status: 409,
      body: { ok: false, error: { message: expect.stringContaining(second.previousSecretExpiresAt) } },
    };
    expect(await owner('POST', `/webhooks/${id}/secret`)).toMatchObject(refused);
    const both = await Promise.all(
      [1, 2, 3].map(async () => {
        const { id: other } = (await owner('POST', '/webhooks', body)).body.data;
        return Promise.all([1, 2].map(async () => (await owner('POST', `/webhooks/${other}/secret`)).status));
      }),
    );
    for (const statuses of both) expect(statuses.toSorted()).toEqual([200, 409]);
  });

  test('a secret that was lost with its encryption key is replaced without an overlap', async () => {
    const { id } = (await owner('POST', '/webhooks', body)).body.data;
    await database().query('update webhooks.subscriptions set secret = null where id = $1', [id]);
    expect(await owner('GET', `/webhooks/${id}/secret`)).toMatchObject({
      status: 422,
      body: { ok: false, error: { code: 'UNPROCESSABLE', message: 'The signing secret was lost. Replace it.' } },
    });
    const { status, body: replaced } = await owner('POST', `/webhooks/${id}/secret`);
    expect([status, replaced.data]).toEqual([200, { secret: expect.stringMatching(/^whsec_/), previousSecretExpiresAt: null }]);
    expect((await owner('GET', `/webhooks/${id}/secret`)).body.data).toEqual(replaced.data);
  });

  test('a test and an event appear in the deliveries, and can be replayed', async () => {
    const { id } = (await owner('POST', '/webhooks', body)).body.data;
    expect((await member('POST', `/webhooks/${id}/test`)).status).toBe(403);
    const answer = await owner('POST', `/webhooks/${id}/test`);
    const tested = answer.body.data;
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ok: true,
        data: {
          id: expect.any(String),
          event: 'page.created',
          status: 'pending',
          attempts: 0,
          responseStatus: null,
          lastError: null,
          nextAttemptAt: expect.any(String),
          createdAt: expect.any(String),
        },
      },
    ]);
    await create('createPage', 'NewPage', site.id, { title: 'New', slug: `new-${id}` });
    const log = (await member('GET', `/webhooks/${id}/deliveries`)).body;
    expect(log).toMatchObject({ ok: true, meta: { page: 1, perPage: 20, total: 2, totalPages: 1 } });
    expect(log.data.map(({ event }: { event: string }) => event)).toEqual(['page.created', 'page.created']);
    expect(Object.keys(log.data[0])).toEqual(Object.keys(tested));
    await database().query(
      `update webhooks.deliveries set status = 'failed', next_attempt_at = null, leased_by = null where subscription_id = $1`,
      [id],
    );
    const path = `/webhooks/${id}/deliveries/${tested.id}/replay`;
    expect((await member('POST', path)).status).toBe(403);
    expect(await owner('POST', path)).toMatchObject({
      status: 202,
      body: { ok: true, data: { id: tested.id, status: 'pending' } },
    });
    const other = (await owner('POST', '/webhooks', body)).body.data;
    expect((await owner('POST', `/webhooks/${other.id}/deliveries/${tested.id}/replay`)).status).toBe(404);
    await owner('PATCH', `/webhooks/${id}`, { enabled: false });
    expect((await owner('POST', path)).status).toBe(422);
  });
});
