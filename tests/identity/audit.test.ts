import { caller } from '../support/client.ts';
import { database, seedOperator, seedOrganization, seedStranger } from '../support/seed.ts';
import { signIn } from '../support/session.ts';

interface Entry {
  subject: string;
  subjectId: string;
  action: string;
  fields: string[];
  actor: string;
  user: { id: string } | null;
  apiKey: { name: string } | null;
  sessionId: string | null;
}

const log = `query ($subject: AuditSubject, $action: AuditAction, $userId: ID, $subjectId: ID, $since: DateTime, $until: DateTime, $limit: Int! = 100) {
  auditLog(subject: $subject, action: $action, userId: $userId, subjectId: $subjectId, since: $since, until: $until, limit: $limit) {
    nodes { subject subjectId action fields actor user { id } apiKey { name } sessionId createdAt }
    pagination { total }
  }
}`;

/** An organization whose owner is signed in, and reads the log without the entries of the set-up. */
async function recorded() {
  const organization = await seedOrganization();
  const session = await signIn(organization.owner.id, { organization: organization.slug });
  const seeded = (await session.graphql(log)).auditLog.pagination.total as number;
  return {
    ...organization,
    session,
    api: caller(organization.key),
    /** The changes since then, oldest first. */
    async changes(): Promise<Entry[]> {
      const { nodes } = (await session.graphql(log)).auditLog;
      return nodes.slice(0, nodes.length - seeded).reverse();
    },
  };
}

test('members, roles and invitations are recorded with the session or the key that changed them', async () => {
  const { session, api, owner, addMember, changes } = await recorded();
  const { id, key } = await addMember('member');
  const { inviteMember } = await session.graphql(
    'mutation { inviteMember(email: "ada@example.com", role: member) { token invitation { id } } }',
  );
  await session.graphql('mutation ($id: ID!) { updateMember(userId: $id, role: admin) { role } }', { id });
  await caller(key).graphql('mutation ($id: ID!) { revokeInvitation(id: $id) { deleted } }', { id: inviteMember.invitation.id });
  await api.graphql('mutation ($id: ID!) { removeMember(userId: $id) { deleted } }', { id });
  const all = await changes();
  const seeded = all.filter(({ actor }) => actor === 'system');
  expect(seeded.map(({ subject, action }) => [subject, action])).toEqual([
    ['member', 'created'],
    ['api_key', 'created'],
  ]);
  const byOwner = { actor: 'user', user: { id: owner.id } };
  const bySession = { ...byOwner, sessionId: expect.any(String), apiKey: null };
  expect(all.filter(({ actor }) => actor !== 'system')).toEqual(
    [
      { ...bySession, subject: 'invitation', action: 'created', subjectId: inviteMember.invitation.id, fields: [] },
      { ...bySession, subject: 'member', action: 'updated', subjectId: id, fields: ['role'] },
      { actor: 'user', user: { id }, apiKey: { name: 'test' }, sessionId: null, subject: 'invitation', action: 'deleted' },
      { ...byOwner, apiKey: { name: 'test' }, sessionId: null, subject: 'member', action: 'deleted', subjectId: id, fields: [] },
    ].map((each) => expect.objectContaining(each)),
  );
});

test('keys, webhooks, agents, their secrets and attribute sets are recorded without values', async () => {
  const { session, id: organizationId, changes } = await recorded();
  const { graphql } = session;
  const { createApiKey } = await graphql('mutation { createApiKey(name: "the name of a key") { key apiKey { id } } }');
  await graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { deleted } }', { id: createApiKey.apiKey.id });
  const { createAgent } = await graphql('mutation { createAgent(input: { name: "Ada" }) { id } }');
  await graphql(
    'mutation ($id: ID!) { updateAgent(id: $id, input: { name: "Grace", systemPrompt: "a confidential prompt" }) { id } }',
    { id: createAgent.id },
  );
  const { createAttribute } = await graphql(
    'mutation { createAttribute(input: { name: "Color", slug: "color", type: text }) { id } }',
  );
  const { createAttributeSet } = await graphql(
    'mutation ($ids: [ID!]!) { createAttributeSet(name: "Paint", attributeIds: $ids) { id } }',
    { ids: [createAttribute.id] },
  );
  await graphql('mutation ($id: ID!, $ids: [ID!]!) { updateAttributeSet(id: $id, name: "Paints", attributeIds: $ids) { id } }', {
    id: createAttributeSet.id,
    ids: [createAttribute.id],
  });
  await graphql('mutation ($id: ID!) { deleteAttributeSet(id: $id) { deleted } }', { id: createAttributeSet.id });
  const { createWebhook } = await graphql(
    'mutation { createWebhook(input: { url: "https://hooks.example.com/path", eventType: ["product_enrichment.start"] }) { id } }',
  );
  await graphql('mutation ($id: ID!) { deleteWebhook(id: $id) { deleted } }', { id: createWebhook.id });
  const all = await changes();
  expect(all.map(({ subject, action, fields }) => [subject, action, fields.join()])).toEqual(
    expect.arrayContaining([
      ['api_key', 'created', ''],
      ['api_key', 'deleted', ''],
      ['agent', 'created', ''],
      ['agent', 'updated', 'name,systemPrompt'],
      ['attribute_set', 'created', ''],
      ['attribute_set', 'updated', 'name'],
      ['attribute_set', 'updated', 'attributes'],
      ['attribute_set', 'deleted', ''],
      ['webhook', 'created', ''],
      ['webhook', 'deleted', ''],
    ]),
  );
  expect(all.filter(({ subject }) => subject === 'attribute_set')).toHaveLength(4);
  expect(all.every(({ actor, sessionId }) => actor === 'user' && sessionId)).toBe(true);
  const { rows } = await database().query('select e::text as text from identity.audit_entries e where organization_id = $1', [
    organizationId,
  ]);
  for (const { text } of rows) expect(text).not.toMatch(/Grace|confidential|Paints|the name|hooks\.example|ck_/);
});

test('switches, numbers and choices are recorded with their old and new values, and texts without', async () => {
  const { session, addMember } = await recorded();
  const { graphql } = session;
  const { id } = await addMember('member');
  await graphql('mutation ($id: ID!) { updateMember(userId: $id, role: admin) { role } }', { id });
  const { createAgent } = await graphql('mutation { createAgent(input: { name: "Ada" }) { id } }');
  await graphql(
    'mutation ($id: ID!) { updateAgent(id: $id, input: { name: "Grace", publicAccess: false, retentionDays: 30, modelType: "agent-chat-v1" }) { id } }',
    { id: createAgent.id },
  );
  const { createApiKey } = await graphql('mutation { createApiKey(name: "reader") { apiKey { id } } }');
  await graphql('mutation ($id: ID!) { updateApiKey(id: $id, toolGroups: ["jobs"]) { id } }', { id: createApiKey.apiKey.id });
  const { auditLog } = await graphql('{ auditLog(action: updated) { nodes { subject fields changes { field before after } } } }');
  expect(auditLog.nodes).toEqual(
    expect.arrayContaining([
      { subject: 'member', fields: ['role'], changes: [{ field: 'role', before: ['member'], after: ['admin'] }] },
      {
        subject: 'agent',
        fields: ['name', 'publicAccess', 'retentionDays'],
        changes: [
          { field: 'publicAccess', before: ['true'], after: ['false'] },
          { field: 'retentionDays', before: [], after: ['30'] },
        ],
      },
      {
        subject: 'api_key',
        fields: ['toolGroups'],
        changes: [
          {
            field: 'toolGroups',
            before: ['catalog-read', 'agents-read', 'integration-read', 'site-content-read'],
            after: ['jobs'],
          },
        ],
      },
    ]),
  );
});

test('plans are recorded without the name of the operator, and credits not at all', async () => {
  const { slug, id, changes } = await recorded();
  const operator = await seedOperator();
  const change = 'mutation ($slug: String!) { updateOrganizationAccount(organization: $slug, plan: free, credits: 5) { plan } }';
  await caller(operator.key).graphql(change, { slug });
  await database().query("update identity.organizations set modules = '{helpdesk}' where id = $1", [id]);
  expect(await changes()).toEqual([
    {
      actor: 'operator',
      user: null,
      apiKey: null,
      sessionId: null,
      subject: 'organization',
      subjectId: id,
      action: 'updated',
      fields: ['plan'],
      createdAt: expect.any(String),
    },
    expect.objectContaining({ actor: 'system', user: null, fields: ['modules'] }),
  ]);
});

test('sign-ins and sign-outs are recorded in the organizations of the user', async () => {
  const { addMember, changes } = await recorded();
  const member = await addMember('member');
  const session = await signIn(member.id);
  await session.post('/auth/sign-out');
  const sessions = (await changes()).filter(({ subject }) => subject === 'session');
  expect(sessions).toEqual([
    expect.objectContaining({ action: 'created', user: { id: member.id }, actor: 'user' }),
    expect.objectContaining({ action: 'deleted', user: { id: member.id }, actor: 'user' }),
  ]);
});

test('an organization does not learn who ended a session from outside', async () => {
  const { id, addMember, changes } = await recorded();
  const member = await addMember('member');
  const stranger = await seedStranger();
  await signIn(member.id);
  const client = await database().connect();
  try {
    await client.query('begin');
    await client.query("select set_config('audit.actor', $1, true)", [JSON.stringify({ actor: 'user', user: stranger.id })]);
    await client.query('delete from identity.sessions where user_id = $1', [member.id]);
    await client.query('commit');
  } finally {
    client.release();
  }
  expect((await changes()).at(-1)).toMatchObject({ subject: 'session', action: 'deleted', actor: 'system', user: null });
  await database().query(
    `insert into identity.audit_entries (organization_id, subject, subject_id, action, actor, user_id)
     values ($1, 'organization', $1, 'updated', 'user', $2)`,
    [id, stranger.id],
  );
  expect((await changes()).at(-1)).toMatchObject({ actor: 'user', user: null });
});

test('a member who left is still named', async () => {
  const { addMember, changes } = await recorded();
  const { id, key } = await addMember('admin');
  await caller(key).graphql('mutation { leaveOrganization { deleted } }');
  expect((await changes()).at(-1)).toMatchObject({ subject: 'member', action: 'deleted', user: { id } });
});

test('a change that fails leaves no entry', async () => {
  const { api, owner, changes } = await recorded();
  expect(
    (await api.refusal('mutation ($id: ID!) { updateMember(userId: $id, role: member) { role } }', { id: owner.id })).code,
  ).toBe('UNPROCESSABLE');
  expect(await changes()).toEqual([]);
});

test('the log is filtered and paged, and only admins of the organization read it', async () => {
  const { session, owner, addMember, slug } = await recorded();
  const { key, id } = await addMember('member');
  await session.graphql('mutation ($id: ID!) { updateMember(userId: $id, role: admin) { role } }', { id });
  await session.graphql('mutation ($id: ID!) { updateMember(userId: $id, role: member) { role } }', { id });
  const count = async (variables: object) => (await session.graphql(log, { ...variables })).auditLog.pagination.total;
  expect(await count({ subject: 'member', action: 'updated' })).toBe(2);
  expect(await count({ subjectId: id })).toBe(3);
  expect(await count({ userId: owner.id, action: 'updated' })).toBe(2);
  expect(await count({ until: '2020-01-01T00:00:00Z' })).toBe(0);
  expect(await count({ subject: 'member', since: '2020-01-01T00:00:00Z' })).toBeGreaterThan(2);
  expect(await count({ subjectId: 'nonsense' })).toBe(0);
  expect((await session.graphql(log, { limit: 1, subjectId: id })).auditLog.nodes).toHaveLength(1);
  expect((await caller(key).refusal(log)).code).toBe('FORBIDDEN');
  const stranger = caller((await seedOrganization()).key, { organization: slug });
  expect((await stranger.refusal(log)).code).toBe('NO_ACCESS');
});
