import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import pg from 'pg';
import { Statements, tracePool } from '../../platform/database/statements.ts';
import { AnswerBudget } from '../../schema/limits.ts';

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
let pool: pg.Pool;
let statements: Statements;
beforeAll(() => {
  provider.register();
  const url = process.env.TEST_DATABASE_URL!;
  pool = new pg.Pool({ connectionString: url });
  tracePool(pool);
  statements = new Statements(pool, url);
});
afterAll(async () => {
  await statements.close();
  await pool.end();
  await provider.shutdown();
});
beforeEach(() => exporter.reset());

/** The span of a statement that runs on behalf of a caller. */
async function spanOf(text: string, signal?: AbortSignal) {
  const parent = trace.getTracer('test').startSpan('parent');
  await context
    .with(trace.setSpan(context.active(), parent), () => statements.run({ text }, signal, new AnswerBudget(1_000)))
    .catch(() => {});
  const [span] = exporter
    .getFinishedSpans()
    .filter(({ attributes }) => /^select (?:\?|pg_sleep|repeat)/.test(String(attributes['db.statement'])));
  return span!;
}

test('the span of a statement lasts as long as the statement', async () => {
  const { duration, status } = await spanOf('select pg_sleep(0.1)');
  expect(duration[0] * 1_000 + duration[1] / 1e6).toBeGreaterThan(99);
  expect(status.code).toBe(SpanStatusCode.UNSET);
});

test.each([
  ['fails', 'select 1 / 0'],
  ['exceeds the answer budget', `select repeat('a', 2000)`],
])('the span of a statement that %s is an error', async (_, text) => {
  expect((await spanOf(text)).status.code).toBe(SpanStatusCode.ERROR);
});

test('the span of a canceled statement is an error', async () => {
  expect((await spanOf('select pg_sleep(3600)', AbortSignal.timeout(2_000))).status.code).toBe(SpanStatusCode.ERROR);
});

test('the span of a statement has no literals', async () => {
  const written = `select 'it''s ada@example.com', E'a\\'b', 12.5, id1 from (select 7 as id1) "t0" where id1 in (7, 8, 9) limit 1`;
  const parent = trace.getTracer('test').startSpan('parent');
  await context.with(trace.setSpan(context.active(), parent), () => pool.query(written));
  const texts = exporter
    .getFinishedSpans()
    .map(({ attributes }) => String(attributes['db.statement']))
    .filter((text) => text.includes('id1'));
  expect(texts).toEqual(['select ?, …, id1 from (select ? as id1) "t0" where id1 in (?, …) limit ?']);
});
