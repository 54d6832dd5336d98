import type { RequestContext } from 'compiled-gateway';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { AnswerBudget } from '../../schema/limits.ts';
import { AGENT_TOKEN_HEADER, type AgentIdentity, signAgentToken } from '../identity/index.ts';
import { Deadline } from '../queues/index.ts';
import type { Secrets } from '../secrets/index.ts';

/** Runs operations of the whole graph, with the access of an agent. Only operations that the gateway knows are possible. */
export interface Graph {
  /** Throws the first error of the response, and the reason of the signal when it aborts. */
  query<T>(text: string, variables: Readonly<Record<string, unknown>>, caller: AgentIdentity, signal?: AbortSignal): Promise<T>;
}

/** A response of the graph as objects. */
export interface GraphAnswer {
  data?: Readonly<Record<string, unknown>> | null;
  errors?: readonly GraphQLFormattedError[];
}

/** Sends an operation to the gateway. */
export type Execute = (
  text: string,
  variables: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => GraphAnswer | Promise<GraphAnswer>;

/** Limits of one operation: milliseconds, and bytes of the response and of the rows read for it. */
export const [TIMEOUT_MS, ANSWER_LIMIT] = [10_000, 8 * 1024 * 1024];

/** Create the graph of a process. Every operation has its own token, which expires soon. */
export const createGraph = (secrets: Secrets, execute: Execute): Graph => ({
  async query<T>(text: string, variables: Readonly<Record<string, unknown>>, caller: AgentIdentity, signal?: AbortSignal) {
    const deadline = new Deadline(TIMEOUT_MS, signal);
    const { data, errors } = await within(deadline.signal, async (both) =>
      execute(text, variables, {
        headers: { [AGENT_TOKEN_HEADER]: await signAgentToken(secrets, caller) },
        signal: both,
        owner: caller.organizationId,
        client: { name: 'agent', version: '' },
        budget: new AnswerBudget(ANSWER_LIMIT),
      }),
    ).finally(() => deadline.end());
    const [error] = errors ?? [];
    if (error) throw new GraphQLError(error.message, { extensions: error.extensions });
    return data as T;
  },
});

/** Stop waiting when the signal aborts, even if the work ignores it. */
async function within<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
