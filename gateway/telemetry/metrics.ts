import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observer } from './observer.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Counts and times what the gateway runs. Operations go by the label they were prepared with; all that callers write themselves
 * are one, `graphql`, because anybody could make up names.
 */
export function metrics(registry: Registry): Observer {
  const registers = [registry];
  const operations = new Histogram({
    name: 'graph_operation_seconds',
    help: 'Operations by what they are and how they ended: ok, or the code of their first error.',
    labelNames: ['operation', 'kind', 'outcome'],
    buckets: seconds,
    registers,
  });
  const fetches = new Histogram({
    name: 'graph_fetch_seconds',
    help: 'Requests of query plans to a subgraph.',
    labelNames: ['subgraph', 'outcome'],
    buckets: seconds,
    registers,
  });
  const streams = new Gauge({
    name: 'graph_subscriptions',
    help: 'Streams of subscriptions that are open.',
    labelNames: ['operation'],
    registers,
  });
  const begun = new Counter({
    name: 'graph_subscriptions_total',
    help: 'Streams of subscriptions that were begun.',
    labelNames: ['operation'],
    registers,
  });
  const supergraphs = new Counter({
    name: 'graph_supergraph_updates_total',
    help: 'New supergraphs by outcome: applied, refused (it does not build), unreadable (file or address).',
    labelNames: ['outcome'],
    registers,
  });
  const isCurrent = new Gauge({
    name: 'graph_supergraph_current',
    help: '1 while the gateway serves the newest supergraph; 0 after one was refused or could not be read.',
    registers,
  });
  isCurrent.set(1);

  return {
    async operation({ kind, label = 'graphql' }, _context, run) {
      const end = operations.startTimer({ operation: label, kind });
      const answer = await run().catch((error: unknown) => {
        end({ outcome: 'INTERNAL_SERVER_ERROR' });
        throw error;
      });
      end({ outcome: outcomeOf(answer) });
      return answer;
    },
    async request(subgraph, run) {
      const end = fetches.startTimer({ subgraph });
      const result = await run().catch((error: unknown) => {
        end({ outcome: 'UNAVAILABLE' });
        throw error;
      });
      end({ outcome: outcomeOf(result) });
      return result;
    },
    stream({ label = 'graphql' }) {
      begun.inc({ operation: label });
      streams.inc({ operation: label });
      return () => streams.dec({ operation: label });
    },
    supergraph(outcome) {
      if (outcome !== 'recovered') supergraphs.inc({ outcome });
      isCurrent.set(outcome === 'applied' || outcome === 'recovered' ? 1 : 0);
    },
  };
}

const code = /^[A-Z_]{1,40}$/;

/** Codes of subgraphs that are not the product's own are theirs; what is no code would make a label of any text. */
function outcomeOf({ errors }: { errors?: readonly { extensions?: Record<string, unknown> }[] }): string {
  if (!errors?.length) return 'ok';
  const given = errors[0]!.extensions?.code;
  return typeof given === 'string' && code.test(given) ? given : 'INTERNAL_SERVER_ERROR';
}
