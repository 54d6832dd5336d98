import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RequestContext } from '../source-contract.ts';
import type { ObservedOperation, Observer } from './observer.ts';
import { codeIn, type ObservedResult } from './observer.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

interface MetricsOptions {
  /** Maximum number of caller-chosen operation names that become labels; default 100. */
  maxNames?: number;
}

/**
 * Create an observer that records Prometheus metrics. Operations are labeled as prepared. Ad hoc operations are labeled with their name
 * once they succeed, up to `maxNames` names; others share the label `graphql`, because callers could invent any number. Callers with an
 * empty `owner` add at most a quarter of the names.
 */
export function metrics(registry: Registry, { maxNames = 100 }: MetricsOptions = {}): Observer {
  const labelOf = boundedLabels(maxNames);
  const registers = [registry];
  const operations = new Histogram({
    name: 'graph_operation_seconds',
    help: 'Duration of operations by outcome: ok, the code of the first error, or canceled by the caller.',
    labelNames: ['operation', 'kind', 'outcome'],
    buckets: seconds,
    registers,
  });
  const fetches = new Histogram({
    name: 'graph_fetch_seconds',
    help: 'Duration of subgraph requests by outcome.',
    labelNames: ['subgraph', 'outcome'],
    buckets: seconds,
    registers,
  });
  const openStreams = new Gauge({
    name: 'graph_subscriptions',
    help: 'Open subscription streams.',
    labelNames: ['operation'],
    registers,
  });
  const opened = new Counter({
    name: 'graph_subscriptions_total',
    help: 'Subscription streams opened since the start.',
    labelNames: ['operation'],
    registers,
  });
  const supergraphs = new Counter({
    name: 'graph_supergraph_updates_total',
    help: 'Supergraph updates by outcome: applied, refused (does not build), unreadable (file or address).',
    labelNames: ['outcome'],
    registers,
  });
  const isCurrent = new Gauge({
    name: 'graph_supergraph_current',
    help: '1 while the gateway serves the newest supergraph; 0 after an update was refused or unreadable.',
    registers,
  });
  isCurrent.set(1);

  return {
    async operation(operation, context, run) {
      const { kind } = operation;
      const end = operations.startTimer({ kind });
      const answer = await run().catch((error: unknown) => {
        end({ operation: labelOf(operation), outcome: failureOf('INTERNAL_SERVER_ERROR', context) });
        throw error;
      });
      const outcome = outcomeOf(answer, context);
      end({ operation: labelOf(operation, outcome === 'ok' ? context : undefined), outcome });
      return answer;
    },
    async request(subgraph, run, context) {
      const end = fetches.startTimer({ subgraph });
      const result = await run().catch((error: unknown) => {
        end({ outcome: failureOf('UNAVAILABLE', context) });
        throw error;
      });
      end({ outcome: outcomeOf(result, context) });
      return result;
    },
    stream(operation, context) {
      const label = labelOf(operation, context);
      opened.inc({ operation: label });
      openStreams.inc({ operation: label });
      return () => openStreams.dec({ operation: label });
    },
    supergraph(outcome) {
      if (outcome !== 'recovered') supergraphs.inc({ outcome });
      isCurrent.set(outcome === 'applied' || outcome === 'recovered' ? 1 : 0);
    },
  };
}

const MAX_NAME = 64;

/**
 * Returns the label of an operation. Only a success, which has a context, adds a name. Callers without access succeed too, for example with
 * `__typename`, so those without a tenant cannot use up the names.
 */
function boundedLabels(maxNames: number): (operation: ObservedOperation, success?: RequestContext) => string {
  const names = new Set<string>();
  let withoutTenant = 0;
  return ({ label, name }, success) => {
    if (label !== undefined) return label;
    if (name === undefined || name.length > MAX_NAME) return 'graphql';
    if (names.has(name)) return name;
    const hasTenant = success?.owner !== '';
    if (!success || names.size >= maxNames || (!hasTenant && withoutTenant >= maxNames / 4)) return 'graphql';
    if (!hasTenant) withoutTenant += 1;
    names.add(name);
    return name;
  };
}

function outcomeOf(outcome: ObservedResult, context: RequestContext): string {
  const code = codeIn(outcome);
  return code === undefined ? 'ok' : failureOf(code, context);
}

/** A caller that no longer waits is no fault, unlike a timeout. `AbortController` gives its reasons this name, too. */
const failureOf = (outcome: string, { signal }: RequestContext): string =>
  (signal?.reason as Error | undefined)?.name === 'AbortError' ? 'canceled' : outcome;
