import { caller } from '../support/client.ts';
import { database, seedOrganization } from '../support/seed.ts';
import { seedLink, signIn } from '../support/session.ts';

/** Marker in every text of a tenant, which reveals leaks. */
export const mark = (slug: string) => `belongs-to-${slug}`;

/** An organization with a row of every kind, and all their ids. */
export async function seedTenant() {
  const organization = await seedOrganization({ modules: ['helpdesk'] });
  const { slug, key, id, owner } = organization;
  const { graphql } = caller(key);
  const name = mark(slug);
  const text =
    'mutation ($sku: String!, $name: String!, $parentId: ID, $isParent: Boolean) { made: createProduct(input: { sku: $sku, name: $name, externalId: $sku, parentId: $parentId, isParent: $isParent, userProvidedRawDataSources: [$name] }) { id } }';
  const idOf = async (query: string, variables: Record<string, unknown>): Promise<string> =>
    (await graphql(query, variables)).made.id;

  const parent = await idOf(text, { sku: `P-${name}`, name, isParent: true });
  const product = await idOf(text, { sku: `V-${name}`, name, parentId: parent });
  const attribute = await idOf(
    'mutation ($name: String!) { made: createAttribute(input: { name: $name, slug: "material", type: text }) { id } }',
    { name },
  );
  const attributeSet = await idOf(
    'mutation ($name: String!, $attribute: ID!) { made: createAttributeSet(name: $name, attributeIds: [$attribute]) { id } }',
    { name, attribute },
  );
  const labels = await Promise.all(['Brand', 'Category'].map((label) => seedLabel(label, name, { graphql, idOf })));
  const agent = await idOf('mutation ($name: String!) { made: createAgent(input: { name: $name }) { id } }', { name });
  const records = await seedAgentRecords(id, agent, name, { graphql, idOf });
  const workspace = await idOf('mutation ($name: String!) { made: createWorkspace(input: { name: $name, slug: "w" }) { id } }', {
    name,
  });
  const site = await idOf(
    'mutation ($name: String!, $workspace: ID!) { made: createSite(input: { name: $name, slug: "s", workspaceId: $workspace }) { id } }',
    { name, workspace },
  );
  await graphql('mutation ($site: ID!) { publishSite(id: $site) { id } }', { site });
  const content = await seedContent({ workspace, site, colleague: await organization.addMember('member') }, name, {
    graphql,
    idOf,
  });
  const apiKey = (await graphql('mutation ($name: String!) { createApiKey(name: $name) { apiKey { id } } }', { name })).createApiKey
    .apiKey.id as string;
  const { inviteMember } = await graphql(
    'mutation ($email: String!) { inviteMember(email: $email, role: member) { invitation { id } } }',
    { email: `${name}@example.com` },
  );
  await seedLink(owner.id, { organizationId: id });
  const { sessions } = await (await signIn(owner.id)).graphql('{ sessions { id } }');
  const job = await idOf(
    'mutation ($product: ID!) { made: createProductEnrichmentJob(input: { productIds: [$product], modelType: "budget-v1", websearch: false }) { id } }',
    { product },
  );
  const marketJob = await idOf(
    'mutation ($product: ID!) { made: createProductMarketAnalysisJob(input: { productIds: [$product], modelType: "budget-v1" }) { id } }',
    { product },
  );
  await graphql('mutation ($product: ID!) { updateProductAttributes(id: $product, attributes: {}) { id } }', { product });
  const webhooks = await seedWebhook(id, name, { graphql, idOf });
  const imports = await seedImport(id, name, { graphql, idOf });
  await ended(key, imports.importJob);
  const found = await graphql('query ($job: ID!) { importItems(jobId: $job) { nodes { id } } }', { job: imports.importJob });
  const importItem: string = found.importItems.nodes[0].id;
  await ended(key, job);
  await ended(key, marketJob);
  const item = await seedReview(id, name, job);
  await Promise.all(labels.flatMap(Object.entries).map(([what, each]) => /Job$/.test(what) && ended(key, each)));

  const ids = {
    organization: id,
    owner: owner.id,
    parent,
    product,
    attribute,
    attributeSet,
    agent,
    ...records,
    workspace,
    site,
    ...content,
    apiKey,
    session: sessions[0].id as string,
    invitation: inviteMember.invitation.id as string,
    marketJob,
    job,
    item,
    ...webhooks,
    ...imports,
    importItem,
    ...(Object.assign({}, ...labels) as Record<string, string>),
    externalId: `V-${name}`,
  };
  return { ...organization, ids };
}

type Maker = {
  graphql: ReturnType<typeof caller>['graphql'];
  idOf: (query: string, variables: Record<string, unknown>) => Promise<string>;
};

/** A brand or category with attributes and a job. */
async function seedLabel(label: string, name: string, { graphql, idOf }: Maker): Promise<Record<string, string>> {
  const subject = label.toLowerCase();
  const kind = label === 'Brand' ? 'BrandEnrichmentJob' : 'ProductCategoryEnrichmentJob';
  const created = await graphql(`mutation ($name: String!) { made: create${label}(name: $name) { ${subject} { id } } }`, { name });
  const attribute = await idOf(
    `mutation ($name: String!) { made: createAttribute(input: { subject: ${subject}, name: $name, slug: "story", type: text }) { id } }`,
    { name },
  );
  const set = await idOf(
    `mutation ($name: String!, $attribute: ID!) { made: createAttributeSet(name: $name, subject: ${subject}, attributeIds: [$attribute]) { id } }`,
    { name, attribute },
  );
  const job = await idOf(
    `mutation ($rows: [JSONObject!]!) { made: create${kind}(input: { rows: $rows, inputColumns: ["name"], useWebsearch: false }) { id } }`,
    { rows: [{ name }] },
  );
  return {
    [subject]: created.made[subject].id,
    [`${subject}Attribute`]: attribute,
    [`${subject}AttributeSet`]: set,
    [`${subject}Job`]: job,
  };
}

/** Knowledge, tools, secrets, conversations and records of an agent. */
async function seedAgentRecords(organizationId: string, agentId: string, name: string, { graphql, idOf }: Maker) {
  const tool = await idOf(
    'mutation ($agentId: ID!, $name: String!) { made: createTool(agentId: $agentId, input: { name: "look_up", description: $name, endpointUrl: "https://api.example.com/" }) { id } }',
    { agentId, name },
  );
  const secret = await idOf('mutation ($name: String!) { made: createSecret(input: { name: "API_KEY", value: $name }) { id } }', {
    name,
  });
  const form = await idOf(
    'mutation ($agentId: ID!, $name: String!) { made: createCustomForm(agentId: $agentId, input: { name: "form", title: $name, fields: [{ name: "text", label: $name }] }) { id } }',
    { agentId, name },
  );
  const lead = await idOf(
    'mutation ($agentId: ID!, $name: String!, $email: String!) { made: createLead(input: { agentId: $agentId, name: $name, email: $email }) { id } }',
    { agentId, name, email: `${name}@example.com` },
  );
  const { contacts } = await graphql('{ contacts { nodes { id } } }', {});
  const contact: string = contacts.nodes[0].id;
  const create =
    'mutation ($agentId: ID!, $name: String!) { made: createTicket(input: { agentId: $agentId, subject: $name }) { id } }';
  const ticket = await idOf(create, { agentId, name });
  const duplicate = await idOf(create, { agentId, name });
  await graphql('mutation ($ticket: ID!, $name: String!) { addTicketNote(id: $ticket, text: $name) { id } }', { ticket, name });
  const subscription = await idOf(
    'mutation ($url: String!) { made: createEventSubscription(input: { event: "form.submitted", targetUrl: $url }) { id } }',
    { url: `https://hooks.example.com/${name}` },
  );
  const { rows: deliveries } = await database().query(
    `insert into webhooks.deliveries (id, organization_id, subscription_id, event, body, status)
     values (gen_random_uuid(), $1, $2, 'form.submitted', $3, 'failed') returning id`,
    [organizationId, subscription, JSON.stringify({ name })],
  );
  const eventDelivery: string = deliveries[0].id;
  const eventReplay = await seedReplay(organizationId, subscription);
  const insert = async (statement: string, ...values: unknown[]): Promise<string> =>
    (await database().query(`insert into agent.${statement} returning id`, [organizationId, agentId, name, ...values])).rows[0].id;
  const mcpServer = await insert(
    `mcp_servers (id, organization_id, agent_id, name, url, headers_template, timeout_ms, secret_names)
     values (gen_random_uuid(), $1::uuid, $2::uuid, left($3::text, 64), 'https://mcp.example.com/', '{}', 500, '{}')`,
  );
  const source = await insert(
    `sources (id, organization_id, agent_id, type, name, url, status, refresh_interval)
     values (gen_random_uuid(), $1::uuid, $2::uuid, 'url', $3::text, 'https://docs.example.com/', 'ready', 'never')`,
  );
  await insert(
    `source_pages (id, organization_id, source_id, url, ordinal, status)
     select gen_random_uuid(), $1::uuid, id, $3::text, 0, 'read' from agent.sources where agent_id = $2::uuid`,
  );
  await insert(
    `chunks (id, organization_id, agent_id, source_id, position, headings, context, text, tokens, content_hash, last_seen_at)
     select gen_random_uuid(), $1::uuid, $2::uuid, id, 0, '{}', $3::text, $3::text, 1, '', now() from agent.sources where agent_id = $2::uuid`,
  );
  const conversation = await insert(
    `conversations (id, organization_id, agent_id, visitor_id, channel, status)
     select gen_random_uuid(), $1::uuid, $2::uuid, user_id, 'admin', 'open' from identity.memberships
      where organization_id = $1::uuid and $3::text <> ''`,
  );
  const handoff = await insert(
    `handoffs (id, organization_id, agent_id, conversation_id, status, requested_by, reason)
     select gen_random_uuid(), $1::uuid, $2::uuid, id, 'closed', 'visitor', $3::text from agent.conversations where agent_id = $2::uuid`,
  );
  await insert(
    `messages (id, organization_id, conversation_id, position, role, text, status, unanswered)
     select gen_random_uuid(), $1::uuid, id, 1, 'user', $3::text, 'complete', true from agent.conversations where agent_id = $2::uuid`,
  );
  await insert(
    `tool_calls (id, organization_id, agent_id, tool_id, tool_name, conversation_id, status, request)
     select gen_random_uuid(), $1::uuid, $2::uuid, $4::uuid, 'look_up', id, 'succeeded', to_jsonb($3::text) from agent.conversations where agent_id = $2::uuid`,
    tool,
  );
  await insert(
    `form_submissions (id, organization_id, agent_id, agent_name, form_name, "values")
     values (gen_random_uuid(), $1::uuid, $2::uuid, $3::text, 'form', '{}')`,
  );
  return {
    tool,
    secret,
    form,
    lead,
    contact,
    ticket,
    duplicate,
    subscription,
    eventDelivery,
    eventReplay,
    mcpServer,
    source,
    conversation,
    handoff,
  };
}

/** Published content of every kind in a site, with a redirect, a domain and a webhook. */
export async function seedContent(
  { workspace, site, colleague }: { workspace: string; site: string; colleague: { id: string } },
  name: string,
  { graphql, idOf }: Maker,
) {
  const workspaceMember = await idOf(
    'mutation ($workspace: ID!, $user: ID!) { made: addWorkspaceMember(workspaceId: $workspace, userId: $user, role: member) { id } }',
    { workspace, user: colleague.id },
  );
  const create = (operation: string, type: string, input: object) =>
    idOf(`mutation ($site: ID!, $input: ${type}!) { made: ${operation}(siteId: $site, input: $input) { id } }`, { site, input });
  const page = await create('createPage', 'NewPage', { title: name, slug: 'p', content: name });
  await graphql('mutation ($page: ID!) { updatePage(id: $page, version: 1, input: { path: "/moved" }) { id } }', { page });
  const siteForm = await create('createSiteForm', 'NewSiteForm', { name, fields: [{ name: 'text', label: name }] });
  const collection = await create('createCollection', 'NewCollection', {
    name,
    slug: 'c',
    fields: [{ name: 'name', type: 'text' }],
  });
  const item = await idOf(
    'mutation ($collection: ID!, $name: String!) { made: createCollectionItem(collectionId: $collection, input: { slug: "i", fields: { name: $name } }) { id } }',
    { collection, name },
  );
  const author = await create('createPostAuthor', 'NewAuthor', { name, slug: 'a' });
  const category = await create('createPostCategory', 'NewPostCategory', { name, slug: 'c' });
  const post = await create('createPost', 'NewPost', { title: name, slug: 'p', authorId: author, categoryIds: [category] });
  for (const [operation, id] of Object.entries({ publishPage: page, publishCollectionItem: item, publishPost: post }))
    await graphql(`mutation ($id: ID!) { ${operation}(id: $id) { id } }`, { id });
  await graphql('mutation ($site: ID!) { setSiteDomain(siteId: $site, input: { domain: "www.example.com" }) { domain } }', {
    site,
  });
  const siteWebhook = await idOf('mutation ($input: NewSiteWebhook!) { made: createSiteWebhook(input: $input) { id } }', {
    input: { workspaceId: workspace, name, url: `https://hooks.example.com/${name}`, events: ['site.published'] },
  });
  const { rows } = await database().query(
    `with submission as (
       insert into site_content.submissions (id, organization_id, site_id, form_id, "values")
       select gen_random_uuid(), organization_id, site_id, id, jsonb_build_object('text', $2::text) from site_content.forms where id = $1
       returning id)
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, body, status)
     select gen_random_uuid(), organization_id, s.id, 'site.published', $2::text, 'failed' from webhooks.subscriptions s where s.id = $3
     returning id, organization_id as "organizationId", (select id from submission) as submission`,
    [siteForm, name, siteWebhook],
  );
  const { id: siteDelivery, organizationId, submission } = rows[0] as Record<string, string>;
  return {
    colleague: colleague.id,
    workspaceMember,
    page,
    siteForm,
    submission: submission!,
    collection,
    collectionItem: item,
    author,
    postCategory: category,
    post,
    siteWebhook,
    siteDelivery: siteDelivery!,
    siteReplay: await seedReplay(organizationId!, siteWebhook),
  };
}

/** A value in review, its source, and an idempotent create. */
async function seedReview(organizationId: string, name: string, jobId: string): Promise<string> {
  const { rows } = await database().query('select id, product_id from catalog.job_items where job_id = $1', [jobId]);
  const [{ id, product_id: productId }] = rows;
  const proposed = JSON.stringify({ attributeId: null, attributeName: name, attributeType: 'text', value: name });
  const insert = (statement: string, ...values: unknown[]) =>
    database().query(`insert into ${statement}`, [organizationId, ...values]);
  await insert(
    'catalog.proposals (organization_id, item_id, slug, job_id, product_id, confidence, proposed) values ($1, $2, $3, $4, $5, 50, $6)',
    ...[id, name, jobId, productId, proposed],
  );
  await insert(
    `catalog.confidence_labels (organization_id, item_id, slug, tier, stated, confidence, is_right, kind)
     values ($1, $2, $3, 'budget-v1', 50, 50, true, 'review')`,
    ...[id, name],
  );
  await insert(
    `catalog.examples (organization_id, product_id, category_key, buckets) values ($1, $2, gen_random_uuid(), '{}') on conflict do nothing`,
    productId,
  );
  await insert('catalog.source_texts (organization_id, hash, text) values ($1, $2, $2) on conflict do nothing', name);
  await insert(
    `catalog.item_sources (organization_id, item_id, place, job_id, product_id, kind, hash) values ($1, $2, 100, $3, $4, 'text', $5)`,
    ...[id, jobId, productId, name],
  );
  await insert(
    `identity.idempotency_keys (organization_id, hash, request, holder) values ($1, sha256(convert_to($2, 'UTF8')), '', gen_random_uuid())`,
    name,
  );
  return id;
}

/** A file with an import of it, and two unused files. */
async function seedImport(organizationId: string, name: string, { idOf }: Maker) {
  const file = async (ready: boolean): Promise<string> => {
    const insert = `insert into catalog.files (organization_id, name, mime, bytes, ready, created_by_id)
      values ($1, $2, 'text/csv', 100, $3, gen_random_uuid()) returning id`;
    const [{ id }] = (await database().query(insert, [organizationId, name, ready])).rows;
    await database().query('insert into catalog.file_chunks (file_id, place, bytes) values ($1, 0, $2)', [
      id,
      `SKU,Name\nI-1,${name}`,
    ]);
    return id;
  };
  const [taken, draft, other] = await Promise.all([file(true), file(false), file(false)]);
  const page = { kind: 'table', name, columns: ['SKU', 'Name'], rows: [['I-1', name]], first: 1 };
  await database().query('insert into catalog.file_pages (file_id, place, content) values ($1, 0, $2)', [
    taken,
    JSON.stringify(page),
  ]);
  const importJob = await idOf(
    'mutation ($file: ID!) { made: createAiImportJob(input: { uploadedFileIds: [$file], modelType: "budget-v1" }) { id } }',
    { file: taken },
  );
  return { file: taken!, draft: draft!, otherDraft: other!, importJob };
}

/** A webhook without events, with an earlier delivery and its attempt. */
async function seedWebhook(organizationId: string, name: string, { idOf }: Maker) {
  const webhook = await idOf(
    'mutation ($url: String!) { made: createWebhook(input: { url: $url, eventType: ["ai_import.start"], enabled: false }) { id } }',
    { url: `https://hooks.example.com/${name}` },
  );
  const { rows } = await database().query(
    `insert into webhooks.deliveries (id, organization_id, subscription_id, event, body, status, attempts)
     values (gen_random_uuid(), $1, $2, 'ai_import.start', $3, 'failed', 1) returning id`,
    [organizationId, webhook, JSON.stringify({ name })],
  );
  await database().query(
    `insert into webhooks.attempts (id, organization_id, delivery_id, number, error, duration_ms) values (gen_random_uuid(), $1, $2, 1, $3, 1)`,
    [organizationId, rows[0].id, name],
  );
  return { webhook, delivery: rows[0].id as string, replay: await seedReplay(organizationId, webhook) };
}

/** A replay that has ended. */
async function seedReplay(organizationId: string, subscriptionId: string): Promise<string> {
  const { rows } = await database().query(
    `insert into webhooks.replays (id, organization_id, subscription_id, statuses, "from", "to", status, total, ended_at)
     values (gen_random_uuid(), $1, $2, '{failed}', now(), now(), 'completed', 0, now()) returning id`,
    [organizationId, subscriptionId],
  );
  return rows[0].id;
}

export type Tenant = Awaited<ReturnType<typeof seedTenant>>;

async function ended(key: string, job: string): Promise<void> {
  const updates = caller(key).subscribe('subscription ($job: ID!) { jobProgress(id: $job) { status } }', { job });
  // The stream ends with the job.
  for await (const _ of updates);
}

let statement: Promise<string> | undefined;

/** Every row of an organization in every table. */
export async function rowsOf({ id }: { id: string }): Promise<Record<string, unknown[]>> {
  statement ??= rowsStatement();
  // A name lets PostgreSQL plan this statement of many tables once.
  const { rows } = await database().query<{ label: string; rows: unknown[] }>({
    name: 'rows-of-tenant',
    text: await statement,
    values: [id],
  });
  return Object.fromEntries(rows.map((each) => [each.label, each.rows]));
}

async function rowsStatement(): Promise<string> {
  const { rows: tables } = await database().query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where a.attname = 'organization_id' and c.relkind in ('r', 'p', 'v') and not c.relispartition order by 1`,
  );
  const all = [
    ...tables.map(({ name }) => [name, name, 'organization_id = $1']),
    ['organizations', 'identity.organizations', 'id = $1'],
    ['changes', 'catalog.job_changes', 'job_id in (select id from catalog.jobs where organization_id = $1)'],
  ];
  const select = ([label, name, where]: string[]) =>
    `select '${label}' as label, coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)), '[]') as rows from ${name} t where ${where}`;
  return all.map(select).join(' union all ');
}
