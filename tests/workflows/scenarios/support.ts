import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { searchAttributes } from '../../../workflows/contract.ts';

/** Fails like the real activities, without retry delays. */
export const failure = (type: string, message: string) => ApplicationFailure.create({ type, message, nextRetryDelay: 10 });

/** An item that takes some time, and the number of concurrent ones. */
export function counted(ms: number) {
  let running = 0;
  let most = 0;
  const processItem = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(ms);
    running -= 1;
  };
  return { most: () => most, processItem };
}

export const statusOf = async (handle: {
  describe(): Promise<{ typedSearchAttributes: { get(key: typeof searchAttributes.status): unknown } }>;
}) => (await handle.describe()).typedSearchAttributes.get(searchAttributes.status);
