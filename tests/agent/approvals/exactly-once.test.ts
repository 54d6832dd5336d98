import fc from 'fast-check';
import { sweepApprovals } from '../../../subgraphs/agent/approvals/service.ts';
import { openShop } from './open-shop.ts';
import { callerPool } from './pool.ts';

const shop = await openShop();
afterAll(() => shop.close());
const { graph, provider, receiver } = shop;
const site = await shop.seedSite();
const db = callerPool(graph.url);
await site.createTool('order', {
  endpointUrl: `${receiver.url}/orders/{{params.number}}`,
  bodyTemplate: '{"number": {{params.number}}, "note": "{{params.note}}"}',
  inputSchema: { type: 'object' },
});
let input: object = {};
provider.on('order something', (response, { messages }) => {
  if (messages.at(-1)!.role === 'tool') response.text('Done.').finish();
  else response.call(0, 'c1', 'order', JSON.stringify(input)).finish('tool_calls');
});

/** Things that can happen to a request for approval, in any order and at once. */
const happenings = [
  'approve',
  'refuse',
  'approve in another tab',
  'expire',
  'sweep',
  'lose the process',
  'approve as a stranger',
] as const;
const answers = ['ok', 'error', 'hang up'] as const;

test('each effect at the receiver has exactly one approval of the same request, whatever happens at once', async () => {
  const happened = fc.record({
    number: fc
      .string({ minLength: 1, maxLength: 20 })
      .filter((text) => text.isWellFormed() && !/^\.{1,2}$/.test(text) && text.trim() !== ''),
    note: fc.string({ unit: 'grapheme', maxLength: 40 }),
    at: fc.array(fc.constantFrom(...happenings), { minLength: 1, maxLength: 6 }),
    answer: fc.constantFrom(...answers),
    isInTurn: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(happened, async ({ number, note, at, answer, isInTurn }) => {
      input = { number, note };
      receiver.received.length = 0;
      receiver.replyWith((_, response) =>
        answer === 'hang up' ? void response.destroy() : void response.writeHead(answer === 'ok' ? 200 : 500).end('{}'),
      );
      const visitor = site.visit();
      const { asked, conversationId } = await visitor.say('order something');
      const [id] = asked;
      const acts: Record<(typeof happenings)[number], () => Promise<unknown>> = {
        approve: () => visitor.decide(id!, true),
        'approve in another tab': () => visitor.decide(id!, true),
        refuse: () => visitor.decide(id!, false),
        expire: async () => {
          await db.query("update agent.approvals set expires_at = now() - interval '1 second' where id = $1", [id]);
          await sweepApprovals(graph.services);
        },
        sweep: () => sweepApprovals(graph.services),
        // The process that had to send it is gone, and its lease is over.
        'lose the process': async () => {
          await db.query(
            "update agent.approvals set status = 'approved', decided_at = now() - interval '1 minute' where id = $1 and status = 'pending'",
            [id],
          );
          await sweepApprovals(graph.services);
        },
        'approve as a stranger': () => site.visit().decide(id!, true),
      };
      if (isInTurn) for (const name of at) await acts[name]().catch(() => {});
      else await Promise.allSettled(at.map((name) => acts[name]()));
      await graph.services.background.drain(30_000);
      await sweepApprovals(graph.services);

      const { rows } = await db.query('select id, status, input from agent.approvals where conversation_id = $1', [conversationId]);
      const sent = rows.filter(({ status }) => ['succeeded', 'failed', 'unclear', 'sending'].includes(status));
      expect(receiver.received.map(({ headers }) => headers['idempotency-key'])).toEqual(sent.map((each) => each.id));
      for (const { url, body } of receiver.received) {
        expect(decodeURIComponent(url.slice('/orders/'.length))).toBe(number);
        expect(JSON.parse(body)).toEqual({ number, note });
      }
    }),
    { numRuns: 40 },
  );
}, 600_000);
