import { database } from '../support/seed.ts';
import { seedDocument } from './tenant-catalog.ts';
import type { Maker } from './tenant-maker.ts';
import { seedReplay } from './tenant-webhooks.ts';

/** Knowledge, tools, secrets, conversations and records of an agent. */
export async function seedAgentRecords(organizationId: string, agentId: string, name: string, { graphql, idOf }: Maker) {
  const tool = await idOf(
    'mutation ($agentId: ID!, $name: String!) { made: createTool(agentId: $agentId, input: { name: "look_up", description: $name, endpointUrl: "https://api.example.com/" }) { id } }',
    { agentId, name },
  );
  const secret = await idOf('mutation ($name: String!) { made: createSecret(input: { name: "API_KEY", value: $name }) { id } }', {
    name,
  });
  await graphql('mutation ($agentId: ID!) { rotateSigningSecret(agentId: $agentId, purpose: identity) { purpose } }', {
    agentId,
  });
  const cannedReply = await idOf('mutation ($name: String!) { made: createCannedReply(name: "greeting", text: $name) { id } }', {
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
  // An erasure has the id of its contact, whose record is deleted by then.
  await database().query('insert into agent.erasures (id, organization_id, completed_at) values ($1, $2, now())', [
    contact,
    organizationId,
  ]);
  await database().query(
    'insert into agent.visitors (id, organization_id, agent_id, contact_id, subject) values (gen_random_uuid(), $1, $2, $3, $4)',
    [organizationId, agentId, contact, name],
  );
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
    `with event as (
       insert into webhooks.events (id, organization_id, event, occurred_at, payload)
       values (gen_random_uuid(), $1, 'form.submitted', now(), $3) returning id)
     insert into webhooks.deliveries (id, organization_id, subscription_id, event, event_id, status)
     select gen_random_uuid(), $1, $2, 'form.submitted', id, 'failed' from event returning id`,
    [organizationId, subscription, JSON.stringify({ name })],
  );
  await database().query(
    `with mailed as (
       insert into mail.messages (id, organization_id, kind, record_id, source_id, recipient, sender_name, subject, text, status)
       select gen_random_uuid(), $1, 'ticket_reply', $2, id, 'ada@example.com', $3, $3, $3, 'sent' from agent.ticket_messages where ticket_id = $2
       returning id)
     insert into mail.attempts (id, organization_id, message_id, number, response, duration_ms) select gen_random_uuid(), $1, id, 1, $3, 1 from mailed`,
    [organizationId, ticket, name],
  );
  await database().query('insert into mail.counts (organization_id, hour, recipient, mails) values ($1, now(), 1, 1)', [
    organizationId,
  ]);
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
  const fileSource = await insert(
    `sources (id, organization_id, agent_id, type, name, status, refresh_interval, file_id, file_name, file_bytes)
     values (gen_random_uuid(), $1::uuid, $2::uuid, 'text', $3::text || '.txt', 'ready', 'never', $4::uuid, $3::text || '.txt', 100)`,
    await seedDocument(organizationId, name, true),
  );
  const [document, agentDocument, idDocument, fileDocument] = await Promise.all(
    [1, 2, 3, 4].map(() => seedDocument(organizationId, name)),
  );
  await database().query(
    `insert into agent.crawl_turns (source_id, organization_id, host, turn_at, wanted_until)
     values ($1, $2, 'docs.example.com', now(), now())`,
    [source, organizationId],
  );
  await insert(
    `source_pages (id, organization_id, source_id, url, ordinal, status)
     select gen_random_uuid(), $1::uuid, id, $3::text, 0, 'read' from agent.sources where agent_id = $2::uuid and type = 'url'`,
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
  await insert(
    `conversation_notes (id, organization_id, conversation_id, author_id, author_name, text)
     select gen_random_uuid(), $1::uuid, id, gen_random_uuid(), 'Ada', $3::text from agent.conversations where agent_id = $2::uuid`,
  );
  await database().query(
    `insert into agent.page_contexts (conversation_id, organization_id, context)
     select id, organization_id, json_build_object('title', $2::text) from agent.conversations where agent_id = $1`,
    [agentId, name],
  );
  const handoff = await insert(
    `handoffs (id, organization_id, agent_id, conversation_id, status, requested_by, reason)
     select gen_random_uuid(), $1::uuid, $2::uuid, id, 'closed', 'visitor', $3::text from agent.conversations where agent_id = $2::uuid`,
  );
  const question = await insert(
    `messages (id, organization_id, conversation_id, position, role, text, status, unanswered, agent_id, duration_ms)
     select gen_random_uuid(), $1::uuid, id, 1, 'user', $3::text, 'complete', true, agent_id, 1 from agent.conversations where agent_id = $2::uuid`,
  );
  const reply = await insert(
    `messages (id, organization_id, conversation_id, position, role, text, status)
     select gen_random_uuid(), $1::uuid, id, 2, 'assistant', $3::text, 'complete' from agent.conversations where agent_id = $2::uuid`,
  );
  await insert(
    `tool_calls (id, organization_id, agent_id, tool_id, tool_name, conversation_id, status, request)
     select gen_random_uuid(), $1::uuid, $2::uuid, $4::uuid, 'look_up', id, 'succeeded', to_jsonb($3::text) from agent.conversations where agent_id = $2::uuid`,
    tool,
  );
  const approval = await insert(
    `approvals (id, organization_id, agent_id, conversation_id, message_id, tool_call_id, visitor_id, tool_id, tool_name, party, reason, text,
                input, request, request_hash, status, expires_at)
     select gen_random_uuid(), $1::uuid, $2::uuid, id, gen_random_uuid(), '1', visitor_id, $4::uuid, 'look_up', 'operator', 'effect', $3::text, '{}',
            '{"method": "POST", "url": "https://api.example.com/", "headers": {}, "query": {}, "body": null}', '', 'pending', now() + interval '1 hour'
       from agent.conversations where agent_id = $2::uuid`,
    tool,
  );
  await insert(
    `form_submissions (id, organization_id, agent_id, agent_name, form_name, "values")
     values (gen_random_uuid(), $1::uuid, $2::uuid, $3::text, 'form', '{}')`,
  );
  const open = (id: string) => idOf('mutation ($id: ID!) { made: openAgentDraft(agentId: $id) { id } }', { id });
  // One is published, and the other one discarded.
  const other = await idOf('mutation ($name: String!) { made: createAgent(input: { name: $name }) { id } }', { name });
  const [agentDraft, otherAgentDraft] = [await open(agentId), await open(other)];
  const { agentVersions } = await graphql('query ($agentId: ID!) { agentVersions(agentId: $agentId) { nodes { id } } }', {
    agentId,
  });
  const agentVersion: string = agentVersions.nodes[0].id;
  const testSet = await idOf(
    'mutation ($agentId: ID!, $name: String!) { made: createTestSet(agentId: $agentId, input: { name: $name }) { id } }',
    { agentId, name },
  );
  const testCase = await idOf(
    'mutation ($set: ID!, $name: String!) { made: createTestCase(testSetId: $set, input: { name: $name, messages: [$name], checks: [{ kind: answers }] }) { id } }',
    { set: testSet, name },
  );
  const testRun = await insert(
    `test_runs (id, organization_id, agent_id, test_set_id, test_set_name, revision, target, trigger, status, repeats, version, case_count, total)
     values (gen_random_uuid(), $1::uuid, $2::uuid, $4::uuid, $3::text, 1, 'published', 'user', 'completed', 1, 1, 1, 1)`,
    testSet,
  );
  const testRunCase = await insert(
    `test_run_cases (id, organization_id, run_id, case_id, position, name, messages, checks, recordings)
     select gen_random_uuid(), $1::uuid, id, gen_random_uuid(), 1, $3::text, '{}', '[]', '[]' from agent.test_runs where agent_id = $2::uuid`,
  );
  await insert(
    `test_results (id, organization_id, run_id, run_case_id, target, repeat, turn, status, model)
     select gen_random_uuid(), $1::uuid, run_id, id, 'published', 1, 1, 'passed', $3::text from agent.test_run_cases
      where run_id = (select id from agent.test_runs where agent_id = $2::uuid)`,
  );
  return {
    agentDraft,
    otherAgentDraft,
    agentVersion,
    testSet,
    testCase,
    testRun,
    testRunCase,
    question,
    reply,
    tool,
    secret,
    cannedReply,
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
    fileSource,
    document: document!,
    agentDocument: agentDocument!,
    // Before the next one, which must stay unused.
    fileDocument: fileDocument!,
    idDocument: idDocument!,
    conversation,
    handoff,
    approval,
  };
}
