import type { SubscriptionNode } from '@apollo/query-planner';
import { GraphQLError } from 'graphql';
import type { Answer, RequestContext, SourceResult } from '../contract.ts';
import { endable } from '../endable-stream.ts';
import { fail } from '../errors.ts';
import { compileNode } from './compile.ts';
import type { CompiledOperation } from './compiled.ts';
import { NULL } from './complete.ts';
import { catchRefusal, isResult, translate, unavailable } from './errors.ts';
import { compileRequest } from './fetch.ts';
import { fetchesIn } from './placed-fetches.ts';
import type { Respond } from './response.ts';
import { numberedPrimary } from './resumption.ts';
import type { Data, Run } from './run.ts';
import type { Setting } from './setting.ts';

type Start = (given: Readonly<Data>, context: RequestContext) => Run;

/** Compile a subscription: subscribe at the subgraph of the primary fetch, and run the rest of the plan for each event. */
export function compileSubscription(
  { primary, rest }: SubscriptionNode,
  setting: Setting,
  start: Start,
  respond: Respond,
): CompiledOperation {
  const numbered = numberedPrimary(primary, setting.numbered);
  const { request, report, rewrite, merge } = compileRequest(numbered?.node ?? primary, setting);
  const source = setting.sources[primary.serviceName]!;
  const step = rest && compileNode(rest, setting);
  const open = async (run: Run) => source.subscribe(numbered?.begin(request(run), run) ?? request(run));
  const lost = (error: unknown): Answer => {
    setting.onFault?.(primary.serviceName, error);
    const isRefusal = error instanceof GraphQLError && error.extensions.code !== 'UNAVAILABLE';
    if (!isRefusal || !setting.verbatim.has(primary.serviceName)) return { data: NULL, errors: [unavailable(primary.serviceName)] };
    return { data: NULL, errors: [translate(error.toJSON(), undefined, true)] };
  };

  const answer = async (subscribed: Run, result: SourceResult): Promise<Answer> => {
    if (!isResult(result)) return lost(new TypeError('The event is no GraphQL result'));
    const { data, errors } = result;
    const run: Run = { ...subscribed, data: {}, errors: [] };
    report(run, errors, (path) => [path]);
    // A result without data is an error of the stream, not an event.
    if (!data) return { data: NULL, errors: run.errors };
    rewrite(data);
    merge(run.data, data);
    await step?.(run);
    return respond(run);
  };

  return {
    eventSubgraphs: new Set([primary, ...fetchesIn(rest).map(({ fetch }) => fetch)].map(({ serviceName }) => serviceName)),

    execute: async () => ({ errors: [fail('INVALID_INPUT', 'A subscription must be subscribed to').toJSON()] }),

    subscribe: (given, context) =>
      catchRefusal(async () => {
        const run = start(given, context);
        let events: Awaited<ReturnType<typeof open>>;
        try {
          events = await open(run);
        } catch (error) {
          return lost(error);
        }
        if (!(Symbol.asyncIterator in events)) return answer(run, events);
        return endable(events, {
          // Each event has the full response budget.
          beforeRead: () => context.budget?.restart(),
          map: (event) => answer(run, event),
          lost,
          signal: context.signal,
        });
      }),
  };
}
