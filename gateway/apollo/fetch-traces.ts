import type { GatewayGraphQLRequestContext, GatewayGraphQLResponse } from '@apollo/server-gateway-interface';
import { google, Trace } from '@apollo/usage-reporting-protobuf';

type Metrics = GatewayGraphQLRequestContext['metrics'];

/** The header that requests an ftv1 trace from a subgraph. */
export const traceHeader = ['apollo-federation-include-trace', 'ftv1'] as const;

/** Collects the traces of an operation's fetches for the usage reports of Apollo Server. */
export class FetchTraces {
  readonly #nodes: Trace.QueryPlanNode[] = [];
  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Record the start of a fetch. Call the returned function with its response. */
  begin(serviceName: string, path: readonly (string | number)[]): (response: GatewayGraphQLResponse) => void {
    const fetch = new Trace.QueryPlanNode.FetchNode({ serviceName, sentTime: timestamp() });
    const { startHrTime } = this.#metrics;
    if (startHrTime) {
      const [seconds, nanoseconds] = process.hrtime(startHrTime);
      fetch.sentTimeOffset = seconds * 1e9 + nanoseconds;
    }
    this.#nodes.push(flattened(new Trace.QueryPlanNode({ fetch }), path));
    return ({ extensions }) => {
      fetch.receivedTime = timestamp();
      if (typeof extensions?.ftv1 === 'string') decode(fetch, extensions.ftv1);
    };
  }

  /** Write the trace of all fetches, in start order, to the metrics of the request. */
  end(): void {
    const sequence = new Trace.QueryPlanNode.SequenceNode({ nodes: this.#nodes });
    this.#metrics.queryPlanTrace = new Trace.QueryPlanNode({ sequence });
  }
}

/** Record error paths of a response without a trace; usage reports would miss them otherwise. */
export function noteUntraced(metrics: Metrics, subgraph: string, { errors, extensions }: GatewayGraphQLResponse): void {
  if (!errors?.length || extensions?.ftv1) return;
  metrics.nonFtv1ErrorPaths = [...(metrics.nonFtv1ErrorPaths ?? []), ...errors.map(({ path }) => ({ subgraph, path }))];
}

function decode(fetch: Trace.QueryPlanNode.FetchNode, ftv1: string): void {
  try {
    fetch.trace = Trace.decode(Buffer.from(ftv1, 'base64'));
    fetch.traceParsingFailed = false;
  } catch {
    fetch.traceParsingFailed = true;
  }
}

function flattened(node: Trace.QueryPlanNode, path: readonly (string | number)[]): Trace.QueryPlanNode {
  if (path.length === 0) return node;
  const responsePath = path.map(
    (step) => new Trace.QueryPlanNode.ResponsePathElement(typeof step === 'string' ? { fieldName: step } : { index: step }),
  );
  return new Trace.QueryPlanNode({ flatten: new Trace.QueryPlanNode.FlattenNode({ responsePath, node }) });
}

function timestamp(): google.protobuf.Timestamp {
  const now = Date.now();
  return new google.protobuf.Timestamp({ seconds: Math.floor(now / 1_000), nanos: (now % 1_000) * 1e6 });
}
