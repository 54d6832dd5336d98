import type { Change, ChangeLog } from '../../platform/progress/index.ts';
import { followChanges } from '../../platform/progress/index.ts';
import type { Scope } from '../../platform/scope/index.ts';

/** A record whose changes up to 7 have expired. */
function openRecord() {
  const changes: Change[] = [];
  let notify = (_id: string) => {};
  const em = { fork: () => em, setFilterParams() {} };
  const notifications = {
    on(_channel: string, listener: typeof notify) {
      notify = listener;
    },
  };
  const scope = { organizationId: '', services: { orm: { em }, notifications } } as unknown as Scope;
  const catchingUp = Promise.withResolvers<void>();
  const caughtUp = Promise.withResolvers<void>();
  const log: ChangeLog<Change, Change> = {
    channel: 'changes',
    async read(_scope, _id, after, upTo) {
      const found = changes.filter(({ sequence }) => sequence > after && sequence <= (upTo ?? sequence));
      if (upTo === undefined) return found;
      catchingUp.resolve();
      await caughtUp.promise;
      return found;
    },
    merge: (all) => all,
    isEnded: (status) => status === 'ended',
    hasEnded: async () => changes.at(-1)?.status === 'ended',
  };
  return {
    catchingUp,
    caughtUp,
    follow: (after: number) => followChanges(log, scope, { id: 'record', sequence: 7, after }),
    followUntil: (signal: AbortSignal) =>
      followChanges(log, { ...scope, signal } as Scope, { id: 'record', sequence: 7, after: 7 }),
    change(sequence: number, status = 'open') {
      changes.push({ sequence, status });
      notify('record');
    },
  };
}

test('a change that arrives while a subscriber finds that its changes have expired is not lost', async () => {
  const { change, follow, catchingUp, caughtUp } = openRecord();
  const live = await follow(7);
  const behind = Array.fromAsync(await follow(5));
  await catchingUp.promise;
  change(8);
  expect((await live.next()).value).toMatchObject({ sequence: 8 });
  caughtUp.resolve();
  change(9, 'ended');
  expect((await behind).map(({ sequence }) => sequence)).toEqual([8, 9]);
  await live.return!();
});

test('a subscriber that leaves while its stream begins does not stay in the feed', async () => {
  const { change, followUntil } = openRecord();
  const control = new AbortController();
  const begun = followUntil(control.signal);
  control.abort();
  const stream = await begun;
  change(8);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
});
