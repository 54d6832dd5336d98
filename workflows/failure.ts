import { ApplicationFailure } from '@temporalio/activity';
import { ProviderFault } from '../platform/model/index.ts';
import { log } from '../platform/telemetry/index.ts';

const MAX_RETRY_DELAY = 5 * 60_000;

/** The failure of an activity. Internal details stay in the log, because the Temporal UI has a wider audience. */
export function asFailure(error: unknown, what: string): unknown {
  if (error instanceof ProviderFault) {
    return ApplicationFailure.create({
      type: 'ProviderFault',
      message: error.message,
      // Temporal treats a delay of 0 as `no retry`, but a provider means `immediately`.
      nextRetryDelay: retryDelayOf(error) || undefined,
    });
  }
  log.error({ err: error }, what);
  return ApplicationFailure.create({ type: 'Internal', message: (error as Error).name });
}

/** Milliseconds that the provider asked to wait, capped. */
export const retryDelayOf = ({ retryAfterMs }: ProviderFault) => retryAfterMs && Math.min(retryAfterMs, MAX_RETRY_DELAY);
