import { randomUUID } from 'node:crypto';
import { EntitySchema } from '@mikro-orm/postgresql';
import { pino } from 'pino';
import { openDatabase } from '../../platform/database/database.ts';
import { log as productLog } from '../../platform/telemetry/index.ts';
import { describeError } from '../../schema/errors.ts';
import { createLogger } from '../../server/logging.ts';
import { type Catalog, openCatalog } from '../faults/kinds.ts';
import { openWorkerVictim, type WorkerVictim } from '../faults/system.ts';
import { startWorker } from '../support/system.ts';
import { until } from '../support/until.ts';

let victims: WorkerVictim;
let catalog: Catalog;
beforeAll(async () => {
  victims = await openWorkerVictim({ LOG_LEVEL: 'info', OUTBOUND_ALLOW_HOSTS: '' });
  catalog = await openCatalog(victims.url, victims.databaseUrl);
});
afterAll(() => victims.close());

const log = () => victims.worker.output();
const linesOf = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function failedItem(source: string) {
  const { items } = await catalog.enrich(await catalog.addProducts([{ userProvidedRawDataSources: [source] }]));
  expect(items[0].status).toBe('failed');
  return items[0].errorMessage as string;
}

test('the log names the URL of an unreadable page without its query string', async () => {
  expect(await failedItem('https://10.0.0.7/pages/dd18?X-Amz-Signature=5f8a1c#price')).toBe('Unable to fetch source data');
  await until(() => log().includes('"address":"https://10.0.0.7/pages/dd18"'));
  expect(log()).not.toContain('5f8a1c');
});

test('an item reports that the provider rejects the service, and the log has the reason', async () => {
  const message = await failedItem(`Color: red\n[[provider: 401 1 ${randomUUID()}]]`);
  expect(message).toBe('The model provider does not accept requests of this service.');
  await until(() => log().includes('check OPENAI_API_KEY'));
  expect(log()).toContain(new URL(process.env.TEST_PROVIDER!).host);
});

test('a failed item and a refused call are one line each, with the organization, the job and the reason', async () => {
  const { job, items } = await catalog.enrich(
    await catalog.addProducts([{ userProvidedRawDataSources: [`Color: red\n[[provider: 401 1 ${randomUUID()}]]`] }]),
  );
  const ids = { organizationId: catalog.id, jobId: job.id, itemId: items[0].id };
  const lines = () => linesOf(log()).filter(({ jobId }) => jobId === job.id);
  await until(() => lines().length >= 2);
  expect(lines()).toEqual([
    expect.objectContaining({ ...ids, msg: 'Model provider request failed', status: 401 }),
    expect.objectContaining({ ...ids, msg: 'Item failed', reason: items[0].errorMessage }),
  ]);
});

test('a job whose items all fail is one line, and no warning with a stack trace', async () => {
  const { job } = await catalog.enrich(await catalog.addProducts([{ userProvidedRawDataSources: ['https://10.0.0.7/'] }]));
  expect(job.status).toBe('completed_with_errors');
  const lines = () => linesOf(log()).filter(({ workflowId }) => workflowId === `product-enrichment/${job.id}`);
  await until(() => lines().length > 0);
  const reason = 'All 1 items failed: Unable to fetch source data';
  expect(lines()).toEqual([expect.objectContaining({ level: 30, msg: 'All items of a job failed', reason })]);
  expect(lines()[0]).not.toHaveProperty('err');
  expect(log()).not.toContain('Workflow failed');
});

test('every line of a worker is JSON, including those of the Temporal SDK and warnings of packages', async () => {
  const warn = `process.on('SIGHUP', () => process.emitWarning('This option is old', 'DeprecationWarning'))`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(warn)}`;
  const worker = await startWorker({ DATABASE_URL: victims.databaseUrl, LOG_LEVEL: 'debug', NODE_OPTIONS });
  process.kill(worker.pid, 'SIGHUP');
  await until(() => worker.output().includes('This option is old'));
  await worker.stop();
  const lines = linesOf(worker.output());
  expect(lines.map(({ msg }) => msg)).toContain('Worker state changed');
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 40, err: expect.objectContaining({ message: 'This option is old' }) }),
  );
});

test('log lines of errors contain neither rows nor secrets in URLs', () => {
  const failure = Object.assign(new Error('null value, see https://ada:pw@shop.example/hook?token=abc'), {
    code: '23502',
    detail: 'Failing row contains (https://shop.example/hook?token=abc).',
  });
  const line = JSON.stringify(describeError(new Error('outer', { cause: failure })));
  expect(line).toContain('23502');
  expect(line).toContain('https://shop.example/hook');
  expect(line).not.toMatch(/abc|pw@|Failing row/);
});

const SECRET = 'sk-hunter2';

/** The lines that a logger of the product writes. */
async function linesWhile(write: (loggers: { error(fields: object, message: string): void }[]) => unknown): Promise<string> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const streams = productLog as unknown as Record<symbol, unknown>;
  const { streamSym } = pino.symbols;
  const [stdout, level] = [streams[streamSym], productLog.level];
  streams[streamSym] = destination;
  productLog.level = 'info';
  try {
    await write([productLog, createLogger('info', destination)]);
  } finally {
    streams[streamSym] = stdout;
    productLog.level = level;
  }
  return lines.join('');
}

test('no logger writes values of rows that PostgreSQL repeats in its errors', async () => {
  const Note = new EntitySchema<{ id: number; text: string }>({
    name: 'Note',
    tableName: 'log_notes',
    properties: { id: { type: 'integer', primary: true }, text: { type: 'text' } },
  });
  const database = await openDatabase(victims.databaseUrl, [{ entities: [Note as never], migrations: [] }]);
  const em = database.orm.em.fork();
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => Promise.reject(new Error('the statement succeeded')),
      (error: unknown) => error as Error,
    );
  try {
    await database.pool.query('create table log_notes (id int primary key, text text unique check (length(text) < 20))');
    await em.insert(Note, { id: 1, text: SECRET });
    const failures = await Promise.all([
      failureOf(em.insert(Note, { id: 2, text: SECRET })),
      failureOf(em.insert(Note, { id: 3, text: `${SECRET} and a long rest` })),
      failureOf(database.pool.query('select $1::int', [`\n    at ${SECRET} (a.ts:1:1)`])),
    ]);
    // The test is void if the errors do not contain the value.
    for (const failure of failures) expect(`${failure.message} ${failure.stack}`).toContain(SECRET);
    const lines = await linesWhile((loggers) => {
      for (const logger of loggers) {
        for (const err of failures) logger.error({ err }, 'failed');
        logger.error({ err: new Error('outer', { cause: failures[0] }) }, 'failed');
        logger.error({ err: new AggregateError(failures, 'several') }, 'failed');
        logger.error({ err: new Error(`wrapped: ${failures[1]!.message}`) }, 'failed');
      }
    });
    expect(lines).not.toContain('hunter2');
    expect(linesOf(lines)).toHaveLength(12);
    for (const part of ['"23505"', '"23514"', '"22P02"', 'log_notes_text_key', 'invalid input syntax for type integer', ' at '])
      expect(lines).toContain(part);
  } finally {
    await database.pool.query('drop table if exists log_notes');
    await database.close();
  }
});
