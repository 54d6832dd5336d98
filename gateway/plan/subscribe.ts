import type { SubscriptionNode } from '@apollo/query-planner';
import { fail } from '../../schema/errors.ts';
import type { Operation, RequestContext, SourceResult } from '../../schema/request.ts';
import { compileNode } from './compile.ts';
import { refusable, unavailable } from './errors.ts';
import { mapEvents } from './events.ts';
import { compileRequest } from './fetch.ts';
import type { Respond } from './response.ts';
import type { Data, Run } from './run.ts';
import type { Setting } from './setting.ts';

type Start = (given: Readonly<Data>, context: RequestContext) => Run;

/** The primary of the plan is subscribed at its subgraph; for each event the rest of the plan runs as for a query. */
export function compileSubscription(
  { primary, rest }: SubscriptionNode,
  setting: Setting,
  start: Start,
  respond: Respond,
): Operation {
  const { request, report, rewrite, merge } = compileRequest(primary, setting);
  const source = setting.sources[primary.serviceName]!;
  const step = rest && compileNode(rest, setting);
  const open = async (run: Run) => source.subscribe(request(run));
  const lost = (error: unknown): SourceResult => {
    setting.onFault?.(primary.serviceName, error);
    return { data: null, errors: [unavailable(primary.serviceName)] };
  };

  const answer = async (subscribed: Run, { data, errors }: SourceResult): Promise<SourceResult> => {
    const run: Run = { ...subscribed, data: {}, errors: [] };
    report(run, errors, (path) => [path]);
    // A source that ends with an error and without data has no event to complete.
    if (!data) return { data: null, errors: run.errors };
    rewrite(data);
    merge(run.data, data);
    await step?.(run);
    return respond(run);
  };

  return {
    execute: async () => ({ errors: [fail('INVALID_INPUT', 'A subscription must be subscribed to').toJSON()] }),

    subscribe: (given, context) =>
      refusable(async () => {
        const run = start(given, context);
        const events = await open(run).catch(lost);
        if (!(Symbol.asyncIterator in events)) return answer(run, events);
        return mapEvents(events, (event) => answer(run, event), lost, context.signal);
      }),
  };
}
