import fc from 'fast-check';
import { sweepApprovals } from '../../../subgraphs/agent/approvals/service.ts';
import { openShop } from './open-shop.ts';
import { callerPool } from './pool.ts';

const shop = await openShop();
afterAll(() => shop.close());
const { graph, provider, receiver } = shop;
const site = await shop.seedSite();
const db = callerPool(graph.url);

/** Where the arguments of a call are in its request. */
const places: Record<string, object> = {
  path: { endpointUrl: `${receiver.url}/orders/{{params.number}}/{{params.note}}` },
  query: { queryTemplate: { number: '{{params.number}}', note: 'n {{params.note}}' } },
  header: { headersTemplate: { 'x-note': '{{params.note}}' }, bodyTemplate: '{{params.number}}' },
  json: { bodyTemplate: '{"number": {{params.number}}, "note": "{{params.note}}"}' },
  form: { headersTemplate: { 'content-type': 'application/x-www-form-urlencoded' }, bodyTemplate: 'number={{params.number}}' },
  parameters: {},
};
const plain = { endpointUrl: `${receiver.url}/act`, headersTemplate: {}, queryTemplate: {}, bodyTemplate: null };
const TOOLS = ['first', 'second'];
const ids = await Promise.all(TOOLS.map((name) => site.createTool(name, { effect: 'write', inputSchema: { type: 'object' } })));
const UPDATE =
  'mutation ($agentId: ID!, $id: ID!, $input: ToolChange!) { updateTool(agentId: $agentId, id: $id, input: $input) { id } }';
const change = (at: number, input: object) => site.admin.ask(UPDATE, { agentId: site.agent.id, id: ids[at], input });

interface Call {
  tool: number;
  number: string;
  note: string;
}
/** The calls of each visitor, by a word of the message. */
const scripts = new Map<string, Call[]>();
provider.on('please act', (response, { messages }) => {
  const [word] = /\d+$/.exec(messages.findLast(({ role }) => role === 'user')!.content!) ?? [];
  if (messages.at(-1)!.role === 'tool') return response.text('Done.').finish();
  for (const [place, { tool, ...input }] of scripts.get(word!)!.entries())
    response.call(place, `c${place}`, TOOLS[tool]!, JSON.stringify(input));
  return response.finish('tool_calls');
});

/** Things that can happen to a request for approval, in any order and at once. */
const happenings = [
  'approve',
  'approve in another tab',
  'refuse',
  'approve as a stranger',
  'write something else',
  'expire',
  'sweep',
  'change the tool',
  'lose the process before it sends',
  'lose the process while it sends',
] as const;
type Happening = (typeof happenings)[number];

const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const calls = fc.array(fc.record({ tool: fc.nat({ max: 1 }), number: text, note: text }), { minLength: 1, maxLength: 3 });
const story = fc.record({
  tools: fc.tuple(
    ...TOOLS.map(() =>
      fc.record({
        method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
        place: fc.constantFrom(...Object.keys(places)),
      }),
    ),
  ),
  conversations: fc.array(calls, { minLength: 1, maxLength: 2 }),
  happened: fc.array(fc.tuple(fc.constantFrom<Happening>('approve', 'approve', ...happenings), fc.nat()), {
    minLength: 1,
    maxLength: 9,
  }),
  answer: fc.constantFrom('ok', 'error', 'hang up'),
  isInTurn: fc.boolean(),
});

interface Row {
  id: string;
  status: string;
  request: { method: string; url: string; headers: Record<string, string>; body: string | null };
}
/** An approved call waits for the decisions about the other calls of its reply. */
const ENDS = ['approved', 'pending', 'refused', 'expired', 'withdrawn', 'succeeded', 'failed', 'unclear'];
let stories = 0;
let effects = 0;

test('each effect at the receiver has exactly one approval of the same request, whatever the tools are and whatever happens at once', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ tools, conversations, happened, answer, isInTurn }) => {
      for (const [at, { method, place }] of tools.entries()) await change(at, { ...plain, ...places[place], method });
      receiver.received.length = 0;
      receiver.replyWith((_, response) =>
        answer === 'hang up' ? void response.destroy() : void response.writeHead(answer === 'ok' ? 200 : 500).end('{}'),
      );
      const asked = await Promise.all(
        conversations.map(async (script, place) => {
          const word = String(stories * 10 + place);
          scripts.set(word, script);
          const visitor = site.visit();
          const { asked: requests, conversationId } = await visitor.say(`please act ${word}`);
          return requests.map((id) => ({ id, visitor, conversationId }));
        }),
      );
      stories += 1;
      const requests = asked.flat();
      if (requests.length === 0) return;
      const update = (set: string, id: string) =>
        db.query(`update agent.approvals set ${set} where id = $1 and status = 'pending'`, [id]);
      const acts: Record<Happening, (request: (typeof requests)[number]) => Promise<unknown>> = {
        approve: ({ visitor, id }) => visitor.decide(id, true),
        'approve in another tab': ({ visitor, id }) => visitor.decide(id, true),
        refuse: ({ visitor, id }) => visitor.decide(id, false),
        'approve as a stranger': ({ id }) => site.visit().decide(id, true),
        'write something else': ({ visitor, conversationId }) => visitor.say('never mind', conversationId),
        async expire({ id }) {
          await update("expires_at = now() - interval '1 second'", id);
          await sweepApprovals(graph.services);
        },
        sweep: () => sweepApprovals(graph.services),
        'change the tool': () => change(0, { endpointUrl: `${receiver.url}/other/{{params.number}}` }),
        // It is gone after the decision, and its lease is over.
        async 'lose the process before it sends'({ id }) {
          await update("status = 'approved', decided_at = now() - interval '1 minute'", id);
          await sweepApprovals(graph.services);
        },
        async 'lose the process while it sends'({ id }) {
          await update("status = 'sending', decided_at = now() - interval '5 minutes', sent_at = now() - interval '5 minutes'", id);
          await sweepApprovals(graph.services);
        },
      };
      const run = ([name, at]: [Happening, number]) => acts[name](requests[at % requests.length]!);
      if (isInTurn) for (const each of happened) await run(each).catch(() => {});
      else await Promise.allSettled(happened.map(run));
      await graph.services.background.drain(30_000);
      await sweepApprovals(graph.services);
      await graph.services.background.drain(30_000);

      const found = await db.query<Row>('select id, status, request from agent.approvals where id = any($1)', [
        requests.map(({ id }) => id),
      ]);
      const rows = new Map(found.rows.map((row) => [row.id, row]));
      expect(found.rows.filter(({ status }) => !ENDS.includes(status))).toEqual([]);
      const keys = receiver.received.map(({ headers }) => String(headers['idempotency-key']));
      expect(new Set(keys).size).toBe(keys.length);
      for (const { method, url, headers, body } of receiver.received) {
        const { status, request } = rows.get(String(headers['idempotency-key']))!;
        expect(['succeeded', 'failed', 'unclear']).toContain(status);
        const note = request.headers['x-note'];
        const seen = { method, url: receiver.url + url, body, note: headers['x-note'] };
        expect(seen).toEqual({ method: request.method, url: request.url, body: request.body ?? '', note: note?.trim() });
      }
      const done = found.rows.filter(({ status }) => status === 'succeeded').map(({ id }) => id);
      expect(done.filter((id) => !keys.includes(id))).toEqual([]);
      effects += keys.length;
    }),
    { numRuns: 40 },
  );
  expect(effects).toBeGreaterThan(5);
}, 600_000);
