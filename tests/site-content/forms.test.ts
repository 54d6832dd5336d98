import { randomUUID } from 'node:crypto';
import { startNameServer } from '../outbound/name-server.ts';
import { bodiesOf } from '../support/deliveries.ts';
import { DASHBOARD } from '../support/subgraph.ts';
import { act, CREATE_FORM, CREATE_PAGE, openContent } from './content.ts';

const texts = new Map<string, string | string[]>();
const nameServer = await startNameServer(
  // A private address, which refuses the check of the certificate at once.
  () => ['127.0.0.1'],
  (name) => [texts.get(name) ?? 'nothing'].flat(),
);
const { graph, acme, owner, member, make, createSite, siteId } = await openContent({
  nameServers: [nameServer.address],
  chatLimits: { visitor: 20, address: 30 },
});
afterAll(() => graph.close());

const SUBMIT = `mutation ($siteId: ID!, $formId: ID!, $values: JSONObject!, $pageId: ID, $honeypot: String) {
  made: submitSiteForm(siteId: $siteId, formId: $formId, values: $values, pageId: $pageId, honeypot: $honeypot) { id submittedAt }
}`;
const SUBMISSIONS = `query ($siteId: ID!, $formId: ID!) {
  list: siteFormSubmissions(siteId: $siteId, formId: $formId) { nodes { id formId values pageId submittedAt } meta { total } }
}`;
const DOMAIN = 'id domain subdomain status ssl verifiedAt lostAt recordName recordValue';
const setDomain = (site: string, domain: string) =>
  make(`mutation ($siteId: ID!, $input: SiteDomainInput!) { made: setSiteDomain(siteId: $siteId, input: $input) { ${DOMAIN} } }`, {
    siteId: site,
    input: { domain },
  });
const VERIFY = `mutation ($siteId: ID!) { made: verifySiteDomain(siteId: $siteId) { ${DOMAIN} } }`;
let addresses = 0;
/** A visitor on a page of an origin. */
const visitor = (origin?: string, address = `10.0.0.${++addresses}`, key?: string) =>
  graph.caller(undefined, { 'x-client-address': address, ...(origin && { origin }), ...(key && { 'idempotency-key': key }) });

const fields = [
  { name: 'email', label: 'E-mail', type: 'email', required: true, options: [] },
  { name: 'topic', label: 'Topic', type: 'select', required: false, options: ['sales', 'help'] },
];
const form = await make(CREATE_FORM, { siteId, input: { name: 'Contact', fields } });
const values = { email: 'ada@example.com', topic: 'help' };

test('a domain is verified by its TXT record, and by one site only', async () => {
  const read = () => make(`query ($siteId: ID!) { made: siteDomain(siteId: $siteId) { ${DOMAIN} } }`, { siteId });
  const unset = await read();
  expect((await read()).id).toBe(unset.id);
  const claimed = await setDomain(siteId, 'WWW.Example.com');
  expect(claimed).toMatchObject({ id: unset.id, domain: 'www.example.com', status: 'pending', ssl: 'none', verifiedAt: null });
  expect(claimed.recordName).toBe('_site-verification.www.example.com');
  expect(await owner.refusal(VERIFY, { siteId })).toMatch(/^UNPROCESSABLE: The TXT record _site-verification.www.example.com/);
  const other = await createSite();
  const second = await setDomain(other, 'www.example.com');
  expect(second.subdomain).not.toBe(claimed.subdomain);
  texts.set(claimed.recordName, claimed.recordValue);
  expect(await owner.refusal(VERIFY, { siteId: other })).toMatch(/^UNPROCESSABLE/);
  expect(await make(VERIFY, { siteId })).toMatchObject({ status: 'verified', verifiedAt: expect.any(String) });
  texts.set(second.recordName, [second.recordValue, claimed.recordValue]);
  expect(await owner.refusal(VERIFY, { siteId: other })).toBe(
    `CONFLICT: Another site has verified this domain. Remove its TXT record ${claimed.recordName} with the value ${claimed.recordValue} first.`,
  );
  expect(await owner.refusal(VERIFY, { siteId: await createSite() })).toBe('UNPROCESSABLE: The site has no domain.');
  expect(await member.refusal(VERIFY, { siteId })).toMatch(/^FORBIDDEN/);
});

test('a verified domain moves to another organization that proves it, unless the record of its holder is still there', async () => {
  const name = 'moving.example.com';
  const globex = graph.caller((await graph.seed()).key);
  const { made: workspace } = await globex.ask('mutation { made: createWorkspace(input: { name: "W", slug: "w" }) { id } }');
  const { made: site } = await globex.ask('mutation ($input: NewSite!) { made: createSite(input: $input) { id } }', {
    input: { workspaceId: workspace.id, name: 'Moving', slug: 'moving' },
  });
  const holder = await createSite();
  const held = await setDomain(holder, name);
  texts.set(held.recordName, held.recordValue);
  await make(VERIFY, { siteId: holder });
  const claim = () => globex.ask(VERIFY, { siteId: site.id });
  const { made: claimed } = await globex.ask(
    `mutation ($siteId: ID!, $input: SiteDomainInput!) { made: setSiteDomain(siteId: $siteId, input: $input) { ${DOMAIN} } }`,
    { siteId: site.id, input: { domain: name } },
  );
  const read = () => make(`query ($siteId: ID!) { made: siteDomain(siteId: $siteId) { ${DOMAIN} } }`, { siteId: holder });
  // A name server that does not answer takes no domain away.
  for (const records of [held.recordValue, 'nothing', [held.recordValue, claimed.recordValue]]) {
    texts.set(held.recordName, records);
    await expect(claim()).rejects.toThrow();
    expect(await read()).toMatchObject({ status: 'verified', lostAt: null });
  }
  texts.set(held.recordName, claimed.recordValue);
  expect((await claim()).made).toMatchObject({ status: 'verified', verifiedAt: expect.any(String), lostAt: null });
  expect(await read()).toMatchObject({ status: 'pending', verifiedAt: null, lostAt: expect.any(String), domain: name });
  const { rows } = await graph.services.pool.query(
    'select organization_id, action, actor, user_id from identity.audit_entries where subject_id = $1',
    [holder],
  );
  expect(rows).toEqual([{ organization_id: acme.id, action: 'updated', actor: 'system', user_id: null }]);
  // It comes back in the same way.
  expect(await owner.refusal(VERIFY, { siteId: holder })).toMatch(/^UNPROCESSABLE/);
  texts.set(held.recordName, held.recordValue);
  expect(await make(VERIFY, { siteId: holder })).toMatchObject({ status: 'verified', lostAt: null });
});

test('a submission needs the verified domain of a published site', async () => {
  const given = { siteId, formId: form.id, values };
  const refused = 'FORBIDDEN: The origin of this page is not the domain of the site.';
  for (const origin of [undefined, 'null', 'http://www.example.com', 'https://example.com', 'https://www.example.com:444'])
    expect(await visitor(origin).refusal(SUBMIT, given)).toBe(refused);
  const received = (await visitor('https://www.example.com').ask(SUBMIT, given)).made;
  await visitor(DASHBOARD).ask(SUBMIT, given);
  const { list } = await member.ask(SUBMISSIONS, { siteId, formId: form.id });
  expect(list.meta.total).toBe(2);
  expect(list.nodes[1]).toEqual({ ...received, formId: form.id, values, pageId: null });
  const draft = await createSite();
  await make(act('unpublishSite'), { id: draft });
  for (const site of [draft, 'no-id', acme.id])
    expect(await visitor(DASHBOARD).refusal(SUBMIT, { ...given, siteId: site })).toBe('NOT_FOUND: Form not found');
});

test('values are checked against the fields, and pages must belong to the site', async () => {
  const refusal = (more: object) => visitor(DASHBOARD).refusal(SUBMIT, { siteId, formId: form.id, values, ...more });
  expect(await refusal({ values: { topic: 'other', admin: true } })).toBe(
    'INVALID_INPUT: values.admin is not a field of the form; values.email is required; values.topic must be a valid select',
  );
  const elsewhere = await make(CREATE_PAGE, { siteId: await createSite(), input: { title: 'x', slug: 'x', content: '' } });
  expect(await refusal({ pageId: elsewhere.id })).toBe('NOT_FOUND: Page not found');
  const own = await make(CREATE_PAGE, { siteId, input: { title: 'x', slug: 'x', content: '' } });
  expect(await refusal({ pageId: own.id })).toBeUndefined();
});

test('a filled honeypot is confirmed but not stored, and one address cannot flood a form', async () => {
  const total = async () => (await owner.ask(SUBMISSIONS, { siteId, formId: form.id })).list.meta.total as number;
  const before = await total();
  const flood = visitor(DASHBOARD, '10.1.1.1');
  const caught = (given: object) => flood.ask(SUBMIT, { siteId, formId: form.id, values: given, honeypot: 'spam' });
  // The time of a real id is in its front.
  expect((await caught(values)).made.id.slice(0, 6)).toBe(
    (await flood.ask(SUBMIT, { siteId, formId: form.id, values })).made.id.slice(0, 6),
  );
  expect(await total()).toBe(before + 1);
  expect(await flood.refusal(SUBMIT, { siteId, formId: form.id, values: {}, honeypot: 'spam' })).toMatch(
    'values.email is required',
  );
  const answers = await Promise.all(Array.from({ length: 40 }, () => flood.refusal(SUBMIT, { siteId, formId: form.id, values })));
  expect(answers.filter((answer) => answer === 'RATE_LIMITED: Too many submissions. Please wait a moment.')).toHaveLength(13);
  expect(await total()).toBe(before + 28);
});

test('the event of a submission commits with it, for the workspace of the form', async () => {
  const { id: workspaceId } = await make('mutation { made: createWorkspace(input: { name: "O", slug: "o" }) { id } }', {});
  const { workspace } = (await owner.ask('query ($id: ID!) { site(id: $id) { workspace { id } } }', { id: siteId })).site;
  const subscribe = (about: string) =>
    graph.services.pool.query(
      `insert into webhooks.subscriptions (id, organization_id, surface, url, events, about_id, name)
       values (gen_random_uuid(), $1, 'site-content', 'https://hooks.example.com/', '{form.submission.created}', $2, 'n')`,
      [acme.id, about],
    );
  await subscribe(workspace.id);
  await subscribe(workspaceId);
  const { made } = await visitor(DASHBOARD).ask(SUBMIT, { siteId, formId: form.id, values });
  expect(await bodiesOf(graph.services.pool, 'd.organization_id = $1', [acme.id])).toEqual([
    {
      id: expect.any(String),
      event: 'form.submission.created',
      organizationId: acme.id,
      agentId: null,
      occurredAt: expect.any(String),
      data: { id: made.id, formId: form.id, values, submittedAt: made.submittedAt, pageId: null, siteId, formName: 'Contact' },
    },
  ]);
});

describe('a submission with an Idempotency-Key', () => {
  const made = async () => {
    const { id } = await make(CREATE_FORM, { siteId, input: { name: randomUUID(), fields } });
    const key = randomUUID();
    return {
      submit: (given = values) => visitor(DASHBOARD, undefined, key).ask(SUBMIT, { siteId, formId: id, values: given }),
      refusal: (given: object) => visitor(DASHBOARD, undefined, key).refusal(SUBMIT, { siteId, formId: id, values: given }),
      toOther: () => visitor(DASHBOARD, undefined, key).ask(SUBMIT, { siteId, formId: form.id, values }),
      stored: async () => (await member.ask(SUBMISSIONS, { siteId, formId: id })).list.meta.total,
    };
  };

  test('is stored once, also from another address and at the same time', async () => {
    const { submit, stored } = await made();
    const answers = await Promise.all([submit(), submit(), submit()]);
    expect(await submit()).toEqual(answers[0]);
    expect(new Set(answers.map((each) => each.made.id)).size).toBe(1);
    expect(await stored()).toBe(1);
  });

  test('is refused with other values, and accepted by another form', async () => {
    const { submit, refusal, toOther, stored } = await made();
    const first = await submit();
    expect(await refusal({ email: 'eve@example.com' })).toMatch(/^UNPROCESSABLE: This Idempotency-Key was used with another body/);
    expect((await toOther()).made.id).not.toBe(first.made.id);
    expect(await stored()).toBe(1);
  });
});
