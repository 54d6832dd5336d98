import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
test('probe', async () => {
  const address = process.env.TEST_TEMPORAL_ADDRESS!;
  const nc = await NativeConnection.connect({ address });
  const c = await Connection.connect({ address });
  const client = new Client({ connection: c });
  const log: string[] = [];
  const worker = await Worker.create({
    connection: nc, taskQueue: 'probe-' + Date.now(), workflowsPath: new URL('../../workflows/workflows.ts', import.meta.url).pathname,
    activities: { beginJob: async () => ({ concurrency: 2, open: true }), openItems: async (job: object, after: number) => after < 0 ? [{ ...job, itemId: 'a', ordinal: 0 }] : [], processItem: async () => void log.push('p'), failItem: async () => {}, finishJob: async () => 'completed' },
  });
  await worker.runUntil(client.workflow.execute('runJob', { taskQueue: worker.options.taskQueue, workflowId: 'probe/' + Date.now(), args: [{ kind: 'x', jobId: '1', organizationId: 'o' }] }));
  expect(log).toEqual(['p']);
  await nc.close(); await c.close();
});
