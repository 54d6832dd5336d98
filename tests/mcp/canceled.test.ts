import { setImmediate } from 'node:timers/promises';
import { callTool, RunningCalls } from '../../rest-adapter/mcp/tool-call.ts';
import { Lifetime } from '../../server/lifetime.ts';

test('a canceled call counts until its source has opened the stream', async () => {
  const openings: (() => void)[] = [];
  // A source that ignores the signal.
  const subscribe = async () => {
    await new Promise<void>((resolve) => openings.push(resolve));
    return { errors: [{ message: 'late' }] };
  };
  const route = { name: 'stream', row: { stream: {} }, surface: { messages: {}, failure: {} }, params: [], access: 'user' };
  const endpoint = { operation: { subscribe }, route, variables: () => ({}), payload: () => '{}' };
  const tool = { name: 'stream', group: 'g', route, endpoint: () => endpoint };
  const services = { access: async () => ({ groups: ['g'] }), answerLimit: 1_000_000, running: new RunningCalls() };
  const callAndCancel = async () => {
    const caller = new AbortController();
    const request = { id: '1', lifetime: new Lifetime(30_000), context: { headers: {} }, log: { error() {} } };
    const call = callTool({ tool, given: {}, key: 'key', request, signal: caller.signal } as never, services as never);
    await setImmediate();
    caller.abort(new Error('canceled'));
    return JSON.stringify(await call);
  };
  for (let nth = 0; nth < 20; nth += 1) expect(await callAndCancel()).not.toContain('At most 20 calls');
  expect(await callAndCancel()).toContain('At most 20 calls');
  expect(openings).toHaveLength(20);
  for (const open of openings) open();
  await setImmediate();
  expect(await callAndCancel()).not.toContain('At most 20 calls');
});
