import { setTimeout as wait } from 'node:timers/promises';
import { startGateway } from '../support/gateway.ts';

test('a stopping gateway reports it on /readyz first and still accepts connections, even if it gets SIGTERM twice', async () => {
  const gateway = await startGateway({ SHUTDOWN_DELAY: '2' });
  const stopped = gateway.stop();
  const stoppedAt = Date.now();
  await wait(200);
  const ready = await fetch(`${gateway.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'closing' }]);

  // A supervisor signals all processes of a service, and npm scripts pass the signal on.
  process.kill(gateway.pid, 'SIGTERM');
  const statuses: string[] = [];
  while (Date.now() - stoppedAt < 1_500) {
    // Use separate connections, because each response closes its connection.
    const response = await fetch(`${gateway.url}/api/organizations/get`).catch((error: Error) => error);
    statuses.push(response instanceof Error ? response.message : `${response.status} ${response.headers.get('connection')}`);
  }
  expect(statuses.length).toBeGreaterThan(2);
  expect(new Set(statuses)).toEqual(new Set(['401 close']));
  await stopped;
  expect(Date.now() - stoppedAt).toBeLessThan(8_000);
  await expect(fetch(`${gateway.url}/healthz`)).rejects.toThrow();
});
