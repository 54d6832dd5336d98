import { DASHBOARD } from '../support/subgraph.ts';
import { CREATE_FORM, CREATE_PAGE, openContent } from './content.ts';

const { graph, acme, owner, make, siteId } = await openContent({ chatLimits: { visitor: 20, address: 100 } });
afterAll(() => graph.close());

test('writers of content that wait for a long change leave connections to other organizations', async () => {
  const { pool } = graph.services;
  const fields = [{ name: 'a', label: 'A', type: 'text', required: false, options: [] }];
  const { id: formId } = await make(CREATE_FORM, { siteId, input: { name: 'f', fields } });
  const stranger = graph.caller((await graph.seed()).key);
  const repeating = (n: number) => graph.caller(acme.key, { 'idempotency-key': `key-${n}` });
  const visitor = graph.caller(undefined, { 'x-client-address': '10.0.0.1', origin: DASHBOARD });
  const submit = `mutation ($siteId: ID!, $formId: ID!, $values: JSONObject!) { submitSiteForm(siteId: $siteId, formId: $formId, values: $values) { id } }`;

  const change = await pool.connect();
  await change.query('begin');
  await change.query(`select pg_advisory_xact_lock(hashtextextended('site content of ' || $1, 0))`, [acme.id]);
  const page = (n: number) => ({ siteId, input: { title: 'x', slug: `page-${n}`, content: '' } });
  const writes = Array.from({ length: 30 }, (_, n) => {
    if (n % 3 === 0) return visitor.refusal(submit, { siteId, formId, values: { a: 'x' } });
    return (n % 3 === 1 ? owner : repeating(n)).refusal(CREATE_PAGE, page(n));
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  let ended = 0;
  const count = () => {
    ended += 1;
  };
  for (const write of writes) void write.then(count, count);
  expect(await stranger.refusal('{ workspaces { nodes { id } } }', {})).toBeUndefined();
  expect(ended).toBe(0);
  await change.query('rollback');
  change.release();
  expect(new Set(await Promise.all(writes))).toEqual(new Set([undefined]));
});
